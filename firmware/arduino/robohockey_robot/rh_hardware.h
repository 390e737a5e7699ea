/* The hardware layer: all that a board must bring. One file implements it for each kind of board. */
#ifndef RH_HARDWARE_H
#define RH_HARDWARE_H

#include "rh_robot.h"

void hw_begin(void);
uint32_t hw_now_ms(void);
bool hw_read_byte(uint8_t *byte);
void hw_write(const uint8_t *bytes, uint8_t count);
void hw_sense(rh_sensed *sensed);
void hw_act(const rh_acts *acts);
/* As often as the board can: what must not wait for the next control period, such as the end of a kick. */
void hw_tick(void);

#endif
