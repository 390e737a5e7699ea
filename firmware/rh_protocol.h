/* The RoboHockey wire protocol, version 2, as docs/hardware.md lays it down. Portable C99, no heap, no hardware. */
#ifndef RH_PROTOCOL_H
#define RH_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RH_VERSION 2
#define RH_EVERY_ROBOT 255
#define RH_MAX_WHEELS 8
#define RH_MAX_PAYLOAD 200
#define RH_MAX_FRAME (RH_MAX_PAYLOAD + 2) /* one byte of COBS and the final zero */
#define RH_MAX_NAME 16
#define RH_NO_ANSWER 0xFFFF

enum { RH_DRIVE = 0x01, RH_STOP = 0x02, RH_PING = 0x03, RH_IDENTIFY = 0x04, RH_GROUP_DRIVE = 0x05 };
enum { RH_TELEMETRY = 0x81, RH_PONG = 0x83, RH_IDENTITY = 0x84 };

enum {
    RH_FAULT_COMMANDS_LOST = 1,
    RH_FAULT_LOW_BATTERY = 2,
    RH_FAULT_MOTOR = 4,
    RH_FAULT_ENCODER = 8,
    RH_FAULT_KICKER = 16,
    RH_FAULT_HOT = 32,
    RH_FAULT_EMPTY_BATTERY = 64
};

enum { RH_PART_KICKER = 1, RH_PART_DRIBBLER = 2, RH_PART_PUCK_SENSOR = 4, RH_PART_ENCODERS = 8 };

/* Why a frame was thrown away. */
typedef enum {
    RH_GOOD,
    RH_BAD_COBS,
    RH_BAD_LENGTH,
    RH_BAD_CRC,
    RH_BAD_VERSION,
    RH_BAD_TYPE,
    RH_BAD_ADDRESS,
    RH_BAD_SPEED,
    RH_TOO_LONG
} rh_verdict;

/* Collects the bytes of one frame. */
typedef struct {
    uint8_t bytes[RH_MAX_FRAME];
    uint8_t count;
    bool too_long;
} rh_receiver;

/* A command that is fit to obey; `body` points into the receiver. */
typedef struct {
    uint8_t type;
    uint8_t address;
    uint8_t sequence;
    const uint8_t *body;
    uint8_t body_count;
} rh_command;

/* What one robot is asked to do. */
typedef struct {
    uint8_t wheels;
    int16_t speed_centirad_s[RH_MAX_WHEELS];
    uint8_t kick;
    uint8_t dribble;
} rh_order;

uint16_t rh_crc16(const uint8_t *data, uint8_t count);
/* Both return the number of bytes written; decoding works in place and returns 0 for bytes that COBS never makes. */
uint8_t rh_cobs_encode(const uint8_t *data, uint8_t count, uint8_t *stuffed);
uint8_t rh_cobs_decode(uint8_t *data, uint8_t count);

/* Take one byte; true when it ended a frame that is not empty. Then call rh_open. */
bool rh_take(rh_receiver *receiver, uint8_t byte);
/* Check the collected frame and read it as a command; the receiver is then ready for the next one. */
rh_verdict rh_open(rh_receiver *receiver, rh_command *command);

/* Read a Drive's body, or one robot's share of a GroupDrive; false when it has no order for this robot. A robot that
 * the GroupDrive asks answers after so many ms, one that it does not ask gets RH_NO_ANSWER. */
void rh_read_drive(const rh_command *command, rh_order *order);
bool rh_read_group(const rh_command *command, uint8_t address, rh_order *order, uint16_t *answer_after_ms);

/* Write header, body, checksum, COBS and the end into `frame` (RH_MAX_FRAME bytes); returns how many. */
uint8_t rh_seal(uint8_t type, uint8_t address, uint8_t sequence, const uint8_t *body, uint8_t body_count, uint8_t *frame);

void rh_put_u16(uint8_t *at, uint16_t value);
void rh_put_u32(uint8_t *at, uint32_t value);

#ifdef __cplusplus
}
#endif
#endif
