/* A robot: what it does with the bytes that it hears and the wheels that it feels.
 *
 * No hardware in here. A board's main loop hands in bytes and readings and carries out what comes back:
 *
 *     while (true) {
 *         while (hw_read_byte(&byte)) rh_robot_hear(&robot, byte, hw_now_ms());
 *         if (a control period is over) {
 *             hw_sense(&sensed);
 *             rh_robot_control(&robot, &sensed, hw_now_ms(), &acts);
 *             hw_act(&acts);
 *         }
 *         count = rh_robot_say(&robot, hw_now_ms(), frame);
 *         if (count > 0) hw_write(frame, count);
 *     }
 */
#ifndef RH_ROBOT_H
#define RH_ROBOT_H

#include "rh_pid.h"
#include "rh_protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RH_FIRMWARE_MAJOR 1
#define RH_FIRMWARE_MINOR 0
#define RH_WATCHDOG_MS 250
#define RH_SPEED_WINDOW 4 /* control periods over which the told wheel speeds are averaged */
#define RH_MOST_ANSWERS 4

typedef struct {
    uint8_t address;
    uint8_t wheels;
    uint8_t parts;              /* RH_PART_... */
    uint16_t control_period_ms;
    uint32_t counts_per_turn;   /* of a wheel, after the gear, all edges counted */
    uint16_t low_battery_mv;    /* told as a fault below this */
    uint16_t empty_battery_mv;  /* motors off below this, until it is above low_battery_mv again */
    int8_t hot_c;               /* told as a fault above this */
    rh_pid_gains gains;
    char name[RH_MAX_NAME + 1];
} rh_settings;

typedef struct {
    int32_t counts[RH_MAX_WHEELS]; /* encoders; they may wrap at 32 bits */
    uint16_t battery_mv;
    int8_t temperature_c;
    uint8_t kicker_charge;         /* 0 to 127 */
    bool puck_near;
    uint8_t faults;                /* what the board itself knows: motor, encoder, kicker */
} rh_sensed;

typedef struct {
    float duty[RH_MAX_WHEELS]; /* -1 to 1; positive drives forward */
    uint8_t kick;              /* fire now with this power; 0: do not */
    uint8_t dribble;
} rh_acts;

typedef struct {
    uint8_t type;
    uint8_t sequence;
    uint32_t at_ms;
} rh_answer;

typedef struct {
    rh_settings settings;
    rh_receiver receiver;
    rh_order order;
    bool driving; /* an order stands, and the watchdog runs */
    uint32_t heard_ms;
    uint8_t lost; /* the watchdog stopped the robot since the last telemetry */
    bool empty;
    bool kick_was_asked;
    rh_pid pid[RH_MAX_WHEELS];
    int32_t counts[RH_SPEED_WINDOW + 1][RH_MAX_WHEELS]; /* newest first */
    uint8_t counts_kept;
    rh_sensed sensed;
    rh_answer answers[RH_MOST_ANSWERS];
    uint8_t answer_count;
    uint32_t bad_frames[RH_TOO_LONG + 1]; /* by verdict; [RH_GOOD] counts good frames */
} rh_robot;

void rh_robot_begin(rh_robot *robot, const rh_settings *settings);
void rh_robot_hear(rh_robot *robot, uint8_t byte, uint32_t now_ms);
void rh_robot_control(rh_robot *robot, const rh_sensed *sensed, uint32_t now_ms, rh_acts *acts);
/* The next answer that is due, as a frame of RH_MAX_FRAME bytes at most; returns its length, 0 when there is none. */
uint8_t rh_robot_say(rh_robot *robot, uint32_t now_ms, uint8_t *frame);

/* For hosts that load this as a library: many bytes at once, and how large a robot is. */
void rh_robot_hear_all(rh_robot *robot, const uint8_t *bytes, uint32_t count, uint32_t now_ms);
uint32_t rh_robot_size(void);
uint32_t rh_robot_count(const rh_robot *robot, uint8_t verdict);

#ifdef __cplusplus
}
#endif
#endif
