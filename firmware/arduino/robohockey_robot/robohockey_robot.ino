/* A robot with two geared motors on an Arduino-class board. Copy or link rh_*.c and rh_*.h beside this file.
 * Settings of your robot stand here; pins and timers in hardware_uno.cpp. */
#include "rh_hardware.h"

static rh_robot robot;

void setup()
{
    rh_settings settings = {};
    settings.address = 0;
    settings.wheels = 2;
    settings.parts = RH_PART_ENCODERS | RH_PART_KICKER;
    settings.control_period_ms = 10;
    settings.counts_per_turn = 1440;
    settings.low_battery_mv = 6800;
    settings.empty_battery_mv = 6400;
    settings.hot_c = 70;
    settings.gains = {0.02f, 0.1f, 0.0f, 1.0f / 60.0f, 150.0f}; /* kp, Ti, Td; a free wheel turns 60 rad/s at full voltage, at 150 rad/s2 */
    strcpy(settings.name, "uno");
    hw_begin();
    rh_robot_begin(&robot, &settings);
}

void loop()
{
    static uint32_t controlled_ms = 0;
    uint8_t byte, count, frame[RH_MAX_FRAME];
    hw_tick();
    while (hw_read_byte(&byte))
        rh_robot_hear(&robot, byte, hw_now_ms());
    if (hw_now_ms() - controlled_ms >= robot.settings.control_period_ms) {
        controlled_ms += robot.settings.control_period_ms;
        rh_sensed sensed = {};
        rh_acts acts;
        hw_sense(&sensed);
        rh_robot_control(&robot, &sensed, hw_now_ms(), &acts);
        hw_act(&acts);
    }
    count = rh_robot_say(&robot, hw_now_ms(), frame);
    if (count > 0)
        hw_write(frame, count);
}
