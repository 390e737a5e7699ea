/* A board without a board: hears the frames on its command line, one each 700 ms, and tells what its pins did. */
#include <Arduino.h>
#include <stdio.h>
#include <stdlib.h>

#include "robohockey_robot.ino"

static const uint8_t KICK_PIN = 10, PWM_PIN = 5;
static const unsigned long LOOP_US = 100, EVERY_US = 700000;
static unsigned long now_us, high_since_us;
static uint8_t kick_level, heard[256];
static size_t heard_count, heard_next;

SerialPort Serial;

void pinMode(uint8_t, uint8_t) {}
int digitalRead(uint8_t) { return LOW; }
int analogRead(uint8_t) { return 505; } /* 7.4 V */
uint8_t digitalPinToInterrupt(uint8_t pin) { return pin; }
void attachInterrupt(uint8_t, void (*)(), int) {}
void noInterrupts() {}
void interrupts() {}
unsigned long millis() { return now_us / 1000; }
unsigned long micros() { return now_us; }

void digitalWrite(uint8_t pin, uint8_t value)
{
    if (pin != KICK_PIN || value == kick_level)
        return;
    kick_level = value;
    if (value == HIGH)
        high_since_us = now_us;
    else
        printf("pulse %lu\n", now_us - high_since_us);
}

void analogWrite(uint8_t pin, int value)
{
    static int last = 0;
    if (pin == PWM_PIN && (value != 0) != (last != 0))
        printf("%s %lu\n", value ? "drives" : "stands", now_us);
    if (pin == PWM_PIN)
        last = value;
}

void SerialPort::begin(unsigned long) {}
int SerialPort::available() { return (int)(heard_count - heard_next); }
int SerialPort::read() { return heard[heard_next++]; }

size_t SerialPort::write(const uint8_t *bytes, size_t count)
{
    printf("says");
    for (size_t i = 0; i < count; i++)
        printf(" %02x", bytes[i]);
    printf("\n");
    return count;
}

int main(int count, char **frames)
{
    setup();
    for (int next = 1; now_us < EVERY_US * (unsigned long)count; now_us += LOOP_US) {
        if (next < count && now_us >= EVERY_US * (unsigned long)next) {
            const char *hex = frames[next++];
            heard_next = 0;
            for (heard_count = 0; hex[2 * heard_count]; heard_count++) {
                char byte[3] = {hex[2 * heard_count], hex[2 * heard_count + 1], 0};
                heard[heard_count] = (uint8_t)strtoul(byte, NULL, 16);
            }
        }
        loop();
    }
    return 0;
}
