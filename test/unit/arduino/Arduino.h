/* As much of Arduino as the example uses, with a clock that the test moves. */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { INPUT_PULLUP = 2, OUTPUT = 1, CHANGE = 1, LOW = 0, HIGH = 1, A0 = 14 };

void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t value);
int digitalRead(uint8_t pin);
int analogRead(uint8_t pin);
void analogWrite(uint8_t pin, int value);
uint8_t digitalPinToInterrupt(uint8_t pin);
void attachInterrupt(uint8_t interrupt, void (*handler)(), int mode);
void noInterrupts();
void interrupts();
unsigned long millis();
unsigned long micros();

struct SerialPort {
    void begin(unsigned long baud);
    int available();
    int read();
    size_t write(const uint8_t *bytes, size_t count);
};
extern SerialPort Serial;

#endif
