#include "rh_robot.h"

#include <string.h>

static const float TWO_PI = 6.28318531f;

static void rest(rh_robot *robot)
{
    memset(&robot->order, 0, sizeof robot->order);
    robot->driving = false;
    for (uint8_t k = 0; k < RH_MAX_WHEELS; k++)
        rh_pid_reset(&robot->pid[k]);
}

void rh_robot_begin(rh_robot *robot, const rh_settings *settings)
{
    memset(robot, 0, sizeof *robot);
    robot->settings = *settings;
    rest(robot);
}

static void obey(rh_robot *robot, const rh_order *order, uint32_t now_ms)
{
    if (order->wheels != robot->settings.wheels)
        return;
    robot->order = *order;
    robot->driving = true;
    robot->heard_ms = now_ms;
}

static void answer(rh_robot *robot, uint8_t type, uint8_t sequence, uint32_t at_ms)
{
    if (robot->answer_count < RH_MOST_ANSWERS) {
        rh_answer *next = &robot->answers[robot->answer_count++];
        next->type = type;
        next->sequence = sequence;
        next->at_ms = at_ms;
    }
}

static void act_on(rh_robot *robot, const rh_command *command, uint32_t now_ms)
{
    rh_order order;
    uint16_t after_ms;
    bool to_me = command->address == robot->settings.address;

    if (!to_me && command->address != RH_EVERY_ROBOT)
        return;
    switch (command->type) {
    case RH_DRIVE:
        rh_read_drive(command, &order);
        obey(robot, &order, now_ms);
        answer(robot, RH_TELEMETRY, command->sequence, now_ms);
        break;
    case RH_STOP:
        rest(robot);
        if (to_me)
            answer(robot, RH_TELEMETRY, command->sequence, now_ms);
        break;
    case RH_GROUP_DRIVE:
        if (rh_read_group(command, robot->settings.address, &order, &after_ms)) {
            obey(robot, &order, now_ms);
            if (after_ms != RH_NO_ANSWER)
                answer(robot, RH_TELEMETRY, command->sequence, now_ms + after_ms);
        }
        break;
    case RH_PING:
        answer(robot, RH_PONG, command->sequence, now_ms);
        break;
    case RH_IDENTIFY:
        answer(robot, RH_IDENTITY, command->sequence, now_ms);
        break;
    default:
        break; /* an answer of another robot */
    }
}

void rh_robot_hear(rh_robot *robot, uint8_t byte, uint32_t now_ms)
{
    rh_command command;
    if (!rh_take(&robot->receiver, byte))
        return;
    rh_verdict verdict = rh_open(&robot->receiver, &command);
    robot->bad_frames[verdict]++;
    if (verdict == RH_GOOD)
        act_on(robot, &command, now_ms);
}

static void remember_counts(rh_robot *robot, const rh_sensed *sensed)
{
    memmove(robot->counts[1], robot->counts[0], sizeof robot->counts - sizeof robot->counts[0]);
    memcpy(robot->counts[0], sensed->counts, sizeof robot->counts[0]);
    if (robot->counts_kept <= RH_SPEED_WINDOW)
        robot->counts_kept++;
}

/* Mean speed of a wheel over the last control periods; encoders may wrap. */
static float speed_rad_s(const rh_robot *robot, uint8_t wheel, uint8_t periods)
{
    uint8_t known = robot->counts_kept > 0 ? (uint8_t)(robot->counts_kept - 1) : 0;
    uint8_t window = periods < known ? periods : known;
    if (window == 0)
        return 0.0f;
    int32_t turned = (int32_t)((uint32_t)robot->counts[0][wheel] - (uint32_t)robot->counts[window][wheel]);
    float period_s = 0.001f * (float)robot->settings.control_period_ms * (float)window;
    return (float)turned * (TWO_PI / (float)robot->settings.counts_per_turn) / period_s;
}

static void watch(rh_robot *robot, const rh_sensed *sensed, uint32_t now_ms)
{
    if (robot->driving && now_ms - robot->heard_ms > RH_WATCHDOG_MS) {
        robot->lost = RH_FAULT_COMMANDS_LOST;
        rest(robot);
    }
    if (sensed->battery_mv < robot->settings.empty_battery_mv)
        robot->empty = true;
    else if (sensed->battery_mv >= robot->settings.low_battery_mv)
        robot->empty = false;
    if (robot->empty) {
        /* The order stands, so that the robot goes on by itself when the battery has recovered. */
        for (uint8_t k = 0; k < robot->settings.wheels; k++)
            rh_pid_reset(&robot->pid[k]);
    }
}

static uint8_t kick_now(rh_robot *robot, const rh_sensed *sensed)
{
    uint8_t power = robot->order.kick;
    bool rising = power > 0 && !robot->kick_was_asked;
    bool has_sensor = (robot->settings.parts & RH_PART_PUCK_SENSOR) != 0;
    robot->kick_was_asked = power > 0;
    if (!(robot->settings.parts & RH_PART_KICKER) || power == 0 || sensed->kicker_charge < 127)
        return 0;
    return (has_sensor ? sensed->puck_near : rising) ? power : 0;
}

void rh_robot_control(rh_robot *robot, const rh_sensed *sensed, uint32_t now_ms, rh_acts *acts)
{
    float dt_s = 0.001f * (float)robot->settings.control_period_ms;
    memset(acts, 0, sizeof *acts);
    robot->sensed = *sensed;
    remember_counts(robot, sensed);
    watch(robot, sensed, now_ms);
    if (!robot->driving || robot->empty)
        return;
    for (uint8_t k = 0; k < robot->settings.wheels; k++) {
        float asked = 0.01f * (float)robot->order.speed_centirad_s[k];
        acts->duty[k] = rh_pid_step(&robot->pid[k], &robot->settings.gains, asked, speed_rad_s(robot, k, 1), dt_s);
    }
    acts->kick = kick_now(robot, sensed);
    acts->dribble = (robot->settings.parts & RH_PART_DRIBBLER) ? robot->order.dribble : 0;
}

static uint8_t faults(rh_robot *robot)
{
    const rh_settings *settings = &robot->settings;
    uint8_t bits = (uint8_t)(robot->sensed.faults | robot->lost);
    robot->lost = 0;
    if (robot->sensed.battery_mv < settings->low_battery_mv)
        bits |= RH_FAULT_LOW_BATTERY;
    if (robot->empty)
        bits |= RH_FAULT_EMPTY_BATTERY;
    if (robot->sensed.temperature_c > settings->hot_c)
        bits |= RH_FAULT_HOT;
    return bits;
}

static int16_t rounded(float value, float limit)
{
    float near = value < 0.0f ? value - 0.5f : value + 0.5f;
    return (int16_t)(near > limit ? limit : near < -limit ? -limit : near);
}

static uint8_t telemetry(rh_robot *robot, uint8_t *body)
{
    const rh_sensed *sensed = &robot->sensed;
    uint8_t wheels = robot->settings.wheels;
    uint16_t decivolts = (uint16_t)((sensed->battery_mv + 50) / 100);
    body[0] = (uint8_t)(decivolts > 255 ? 255 : decivolts);
    body[1] = (uint8_t)sensed->temperature_c;
    body[2] = (uint8_t)((sensed->kicker_charge & 0x7F) | (sensed->puck_near ? 0x80 : 0));
    body[3] = faults(robot);
    for (uint8_t k = 0; k < wheels; k++) {
        /* The low 16 bits of the angle in 1/1000 rad; 2 pi is 6283.185307. */
        int64_t scaled = (int64_t)robot->counts[0][k] * 6283185307LL;
        int64_t step = (int64_t)robot->settings.counts_per_turn * 1000000LL;
        int64_t angle_mrad = scaled >= 0 ? (scaled + step / 2) / step : -((-scaled + step / 2) / step);
        rh_put_u16(body + 4 + 2 * k, (uint16_t)angle_mrad);
        rh_put_u16(body + 4 + 2 * wheels + 2 * k, (uint16_t)rounded(100.0f * speed_rad_s(robot, k, RH_SPEED_WINDOW), 32767.0f));
    }
    return (uint8_t)(4 + 4 * wheels);
}

static uint8_t identity(const rh_robot *robot, uint8_t *body)
{
    uint8_t name = (uint8_t)strlen(robot->settings.name);
    body[0] = robot->settings.wheels;
    body[1] = RH_FIRMWARE_MAJOR;
    body[2] = RH_FIRMWARE_MINOR;
    body[3] = robot->settings.parts;
    rh_put_u16(body + 4, RH_WATCHDOG_MS);
    memcpy(body + 6, robot->settings.name, name);
    return (uint8_t)(6 + name);
}

static uint8_t body_of(rh_robot *robot, uint8_t type, uint32_t now_ms, uint8_t *body)
{
    if (type == RH_TELEMETRY)
        return telemetry(robot, body);
    if (type == RH_IDENTITY)
        return identity(robot, body);
    rh_put_u32(body, now_ms);
    return 4;
}

uint8_t rh_robot_say(rh_robot *robot, uint32_t now_ms, uint8_t *frame)
{
    uint8_t body[4 + 4 * RH_MAX_WHEELS];
    for (uint8_t i = 0; i < robot->answer_count; i++) {
        rh_answer due = robot->answers[i];
        if ((int32_t)(now_ms - due.at_ms) < 0)
            continue;
        robot->answer_count--;
        memmove(&robot->answers[i], &robot->answers[i + 1], (robot->answer_count - i) * sizeof due);
        uint8_t count = body_of(robot, due.type, now_ms, body);
        return rh_seal(due.type, robot->settings.address, due.sequence, body, count, frame);
    }
    return 0;
}

void rh_robot_hear_all(rh_robot *robot, const uint8_t *bytes, uint32_t count, uint32_t now_ms)
{
    for (uint32_t i = 0; i < count; i++)
        rh_robot_hear(robot, bytes[i], now_ms);
}

uint32_t rh_robot_size(void)
{
    return (uint32_t)sizeof(rh_robot);
}

uint32_t rh_robot_count(const rh_robot *robot, uint8_t verdict)
{
    return robot->bad_frames[verdict];
}
