/* Wheel-speed control: the ideal PID of Minho eq 6, y = Kp (x + 1/Ti integral(x) + Td dx/dt). */
#ifndef RH_PID_H
#define RH_PID_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    float kp;           /* duty (1 is full voltage) per rad/s of error */
    float ti_s;         /* 0: no integral part */
    float td_s;         /* 0: no derivative part */
    float feed_forward; /* duty per rad/s asked for: what a free wheel needs to hold its speed */
    float acceleration_rad_s2; /* what the wheel can do at best; 0: no such limit */
} rh_pid_gains;

typedef struct {
    float integral; /* of the error that is not just a wheel on its way, in rad */
    float last_error;
    float last_measured_rad_s;
    unsigned char started;
} rh_pid;

void rh_pid_reset(rh_pid *pid);
/* One step; returns a duty from -1 to 1. */
float rh_pid_step(rh_pid *pid, const rh_pid_gains *gains, float asked_rad_s, float measured_rad_s, float dt_s);

#ifdef __cplusplus
}
#endif
#endif
