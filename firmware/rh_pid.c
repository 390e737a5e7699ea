#include "rh_pid.h"

void rh_pid_reset(rh_pid *pid)
{
    pid->integral = 0.0f;
    pid->last_error = 0.0f;
    pid->started = 0;
}

float rh_pid_step(rh_pid *pid, const rh_pid_gains *gains, float asked_rad_s, float measured_rad_s, float dt_s)
{
    float error = asked_rad_s - measured_rad_s;
    float slope = pid->started ? (error - pid->last_error) / dt_s : 0.0f;
    float integral = pid->integral + error * dt_s;
    float inverse_ti = gains->ti_s > 0.0f ? 1.0f / gains->ti_s : 0.0f;
    float open = gains->feed_forward * asked_rad_s + gains->kp * (error + gains->td_s * slope);
    float duty = open + gains->kp * inverse_ti * integral;

    pid->last_error = error;
    pid->started = 1;
    /* Against wind-up: the integral stands while the motor is at its limit and the error asks for more of it. */
    if ((duty > 1.0f && error > 0.0f) || (duty < -1.0f && error < 0.0f))
        duty = open + gains->kp * inverse_ti * pid->integral;
    else
        pid->integral = integral;
    return duty > 1.0f ? 1.0f : duty < -1.0f ? -1.0f : duty;
}
