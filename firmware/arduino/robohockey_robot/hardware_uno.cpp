/* The hardware layer of an Arduino Uno with a dual H-bridge, quadrature encoders and a solenoid kicker. */
#include <Arduino.h>

#include "rh_hardware.h"

static const uint8_t PWM[2] = {5, 6}, DIRECTION[2] = {7, 8};
static const uint8_t ENCODER_A[2] = {2, 3}, ENCODER_B[2] = {4, 9};
static const uint8_t KICKER = 10, BATTERY = A0;
static const uint16_t CHARGE_MS = 500;

static volatile int32_t counts[2];
static const uint32_t LONGEST_KICK_US = 15000;
static uint32_t kicked_ms, pulse_began_us, pulse_us;

/* One interrupt on every edge of channel A: two counts for each line of the encoder. */
static void count(uint8_t wheel)
{
    counts[wheel] += digitalRead(ENCODER_A[wheel]) == digitalRead(ENCODER_B[wheel]) ? -1 : 1;
}

static void count_left() { count(0); }
static void count_right() { count(1); }

void hw_begin()
{
    Serial.begin(115200);
    for (uint8_t k = 0; k < 2; k++) {
        pinMode(PWM[k], OUTPUT);
        pinMode(DIRECTION[k], OUTPUT);
        pinMode(ENCODER_A[k], INPUT_PULLUP);
        pinMode(ENCODER_B[k], INPUT_PULLUP);
    }
    pinMode(KICKER, OUTPUT);
    attachInterrupt(digitalPinToInterrupt(ENCODER_A[0]), count_left, CHANGE);
    attachInterrupt(digitalPinToInterrupt(ENCODER_A[1]), count_right, CHANGE);
}

uint32_t hw_now_ms() { return millis(); }

bool hw_read_byte(uint8_t *byte)
{
    if (Serial.available() == 0)
        return false;
    *byte = (uint8_t)Serial.read();
    return true;
}

void hw_write(const uint8_t *bytes, uint8_t count) { Serial.write(bytes, count); }

void hw_sense(rh_sensed *sensed)
{
    noInterrupts();
    sensed->counts[0] = counts[0];
    sensed->counts[1] = -counts[1]; /* the right motor is mounted the other way round */
    interrupts();
    sensed->battery_mv = (uint16_t)(analogRead(BATTERY) * 5000UL * 3 / 1023); /* through a divider of 1 to 3 */
    sensed->temperature_c = 25;                                              /* no sensor on this board */
    uint32_t since_ms = millis() - kicked_ms;
    sensed->kicker_charge = since_ms >= CHARGE_MS ? 127 : (uint8_t)(since_ms * 127 / CHARGE_MS);
}

void hw_act(const rh_acts *acts)
{
    for (uint8_t k = 0; k < 2; k++) {
        float duty = k == 1 ? -acts->duty[k] : acts->duty[k];
        digitalWrite(DIRECTION[k], duty < 0.0f);
        analogWrite(PWM[k], (int)(255.0f * (duty < 0.0f ? -duty : duty)));
    }
    if (acts->kick > 0) {
        kicked_ms = millis();
        pulse_began_us = micros();
        pulse_us = LONGEST_KICK_US * acts->kick / 255; /* the longer the pulse, the harder the kick */
        digitalWrite(KICKER, HIGH);
    }
}

void hw_tick()
{
    if (pulse_us > 0 && micros() - pulse_began_us >= pulse_us) {
        pulse_us = 0;
        digitalWrite(KICKER, LOW);
    }
}
