#include "rh_pid.h"

void rh_pid_reset(rh_pid *pid)
{
    pid->integral = 0.0f;
    pid->last_error = 0.0f;
    pid->last_measured_rad_s = 0.0f;
    pid->started = 0;
}

/* The speed that a wheel can have by now, on its way to the one asked for. */
static float reachable_rad_s(const rh_pid *pid, const rh_pid_gains *gains, float asked_rad_s, float dt_s)
{
    float most = gains->acceleration_rad_s2 * dt_s;
    float change = asked_rad_s - pid->last_measured_rad_s;
    if (gains->acceleration_rad_s2 <= 0.0f || !pid->started || (change <= most && change >= -most))
        return asked_rad_s;
    return pid->last_measured_rad_s + (change > 0.0f ? most : -most);
}

float rh_pid_step(rh_pid *pid, const rh_pid_gains *gains, float asked_rad_s, float measured_rad_s, float dt_s)
{
    float error = asked_rad_s - measured_rad_s;
    float slope = pid->started ? (error - pid->last_error) / dt_s : 0.0f;
    /* A wheel that speeds up as fast as it can is not slow: gathered, that error would carry it far past its speed. */
    float missing = reachable_rad_s(pid, gains, asked_rad_s, dt_s) - measured_rad_s;
    float integral = pid->integral + missing * dt_s;
    float inverse_ti = gains->ti_s > 0.0f ? 1.0f / gains->ti_s : 0.0f;
    float open = gains->feed_forward * asked_rad_s + gains->kp * (error + gains->td_s * slope);
    float duty = open + gains->kp * inverse_ti * integral;

    pid->last_error = error;
    pid->last_measured_rad_s = measured_rad_s;
    pid->started = 1;
    /* Against wind-up: the integral stands while the motor is at its limit and the error asks for more of it. */
    if ((duty > 1.0f && error > 0.0f) || (duty < -1.0f && error < 0.0f))
        duty = open + gains->kp * inverse_ti * pid->integral;
    else
        pid->integral = integral;
    return duty > 1.0f ? 1.0f : duty < -1.0f ? -1.0f : duty;
}
