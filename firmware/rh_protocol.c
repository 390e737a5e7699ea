#include "rh_protocol.h"

#include <string.h>

enum { HEADER = 4, CRC = 2, GROUP_HEAD = 4, SHARES = 2 };

uint16_t rh_crc16(const uint8_t *data, uint8_t count)
{
    uint16_t crc = 0xFFFF;
    for (uint8_t i = 0; i < count; i++) {
        crc ^= (uint16_t)((uint16_t)data[i] << 8);
        for (uint8_t bit = 0; bit < 8; bit++)
            crc = (crc & 0x8000) ? (uint16_t)((uint16_t)(crc << 1) ^ 0x1021) : (uint16_t)(crc << 1);
    }
    return crc;
}

uint8_t rh_cobs_encode(const uint8_t *data, uint8_t count, uint8_t *stuffed)
{
    uint8_t code_at = 0, at = 1, code = 1;
    for (uint8_t i = 0; i < count; i++) {
        if (data[i] == 0) {
            stuffed[code_at] = code;
            code_at = at++;
            code = 1;
        } else {
            stuffed[at++] = data[i];
            code++;
        }
    }
    stuffed[code_at] = code;
    return at;
}

uint8_t rh_cobs_decode(uint8_t *data, uint8_t count)
{
    uint8_t from = 0, to = 0;
    while (from < count) {
        uint8_t code = data[from++];
        if (code == 0 || (uint16_t)from + code - 1 > count)
            return 0;
        for (uint8_t i = 1; i < code; i++) {
            if (data[from] == 0)
                return 0;
            data[to++] = data[from++];
        }
        if (from < count)
            data[to++] = 0;
    }
    return to;
}

bool rh_take(rh_receiver *receiver, uint8_t byte)
{
    if (byte == 0)
        return receiver->count > 0 || receiver->too_long;
    if (receiver->too_long || receiver->count > RH_MAX_PAYLOAD) {
        receiver->too_long = true;
        receiver->count = 0;
    } else {
        receiver->bytes[receiver->count++] = byte;
    }
    return false;
}

static int16_t get_i16(const uint8_t *at)
{
    return (int16_t)(uint16_t)(at[0] | (uint16_t)((uint16_t)at[1] << 8));
}

static bool speeds_fit(const uint8_t *at, uint8_t wheels)
{
    for (uint8_t k = 0; k < wheels; k++)
        if (get_i16(at + 2 * k) == INT16_MIN)
            return false;
    return true;
}

static rh_verdict check_drive(const uint8_t *body, uint8_t count)
{
    if (count < SHARES + 2 || count % 2 != 0 || (count - SHARES) / 2 > RH_MAX_WHEELS)
        return RH_BAD_LENGTH;
    return speeds_fit(body + SHARES, (uint8_t)((count - SHARES) / 2)) ? RH_GOOD : RH_BAD_SPEED;
}

static rh_verdict check_group(const uint8_t *body, uint8_t count)
{
    if (count < GROUP_HEAD || body[0] < 1 || body[0] > RH_MAX_WHEELS)
        return RH_BAD_LENGTH;
    uint8_t entry = (uint8_t)(1 + SHARES + 2 * body[0]);
    uint8_t robots = (uint8_t)((count - GROUP_HEAD) / entry);
    if (robots < 1 || (count - GROUP_HEAD) % entry != 0 || body[1] >= robots || body[2] > robots)
        return RH_BAD_LENGTH;
    for (uint8_t i = 0; i < robots; i++)
        if (!speeds_fit(body + GROUP_HEAD + i * entry + 1 + SHARES, body[0]))
            return RH_BAD_SPEED;
    for (uint8_t i = 0; i < robots; i++)
        if (body[GROUP_HEAD + i * entry] == RH_EVERY_ROBOT)
            return RH_BAD_ADDRESS;
    return RH_GOOD;
}

/* Messages of robots are checked as well: on a shared line a robot hears the answers of others. */
static rh_verdict check_body(uint8_t type, const uint8_t *body, uint8_t count)
{
    switch (type) {
    case RH_DRIVE:
        return check_drive(body, count);
    case RH_GROUP_DRIVE:
        return check_group(body, count);
    case RH_TELEMETRY:
        if (count < 8 || count % 4 != 0 || (count - 4) / 4 > RH_MAX_WHEELS)
            return RH_BAD_LENGTH;
        return speeds_fit(body + 4 + (count - 4) / 2, (uint8_t)((count - 4) / 4)) ? RH_GOOD : RH_BAD_SPEED;
    case RH_PONG:
        return count == 4 ? RH_GOOD : RH_BAD_LENGTH;
    case RH_IDENTITY:
        return count >= 6 && count <= 6 + RH_MAX_NAME && body[0] >= 1 && body[0] <= RH_MAX_WHEELS ? RH_GOOD : RH_BAD_LENGTH;
    default:
        return count == 0 ? RH_GOOD : RH_BAD_LENGTH;
    }
}

static bool known(uint8_t type)
{
    return (type >= RH_DRIVE && type <= RH_GROUP_DRIVE) || type == RH_TELEMETRY || type == RH_PONG || type == RH_IDENTITY;
}

static rh_verdict check(uint8_t *bytes, uint8_t count, rh_command *command)
{
    uint8_t payload = rh_cobs_decode(bytes, count);
    if (payload == 0)
        return count == 1 && bytes[0] == 1 ? RH_BAD_LENGTH : RH_BAD_COBS; /* a lone 01 is COBS of nothing */
    if (payload < HEADER + CRC)
        return RH_BAD_LENGTH;
    uint8_t content = (uint8_t)(payload - CRC);
    uint16_t crc = rh_crc16(bytes, content);
    if (bytes[content] != (crc & 0xFF) || bytes[content + 1] != crc >> 8)
        return RH_BAD_CRC;
    if (bytes[0] != RH_VERSION)
        return RH_BAD_VERSION;
    command->type = bytes[1];
    command->address = bytes[2];
    command->sequence = bytes[3];
    command->body = bytes + HEADER;
    command->body_count = (uint8_t)(content - HEADER);
    if (!known(command->type))
        return RH_BAD_TYPE;
    bool to_all = command->address == RH_EVERY_ROBOT;
    if ((to_all && command->type != RH_STOP && command->type != RH_GROUP_DRIVE) || (!to_all && command->type == RH_GROUP_DRIVE))
        return RH_BAD_ADDRESS;
    return check_body(command->type, command->body, command->body_count);
}

rh_verdict rh_open(rh_receiver *receiver, rh_command *command)
{
    rh_verdict verdict = receiver->too_long ? RH_TOO_LONG : check(receiver->bytes, receiver->count, command);
    receiver->count = 0;
    receiver->too_long = false;
    return verdict;
}

static void read_order(const uint8_t *at, uint8_t wheels, rh_order *order)
{
    order->kick = at[0];
    order->dribble = at[1];
    order->wheels = wheels;
    for (uint8_t k = 0; k < wheels; k++)
        order->speed_centirad_s[k] = get_i16(at + SHARES + 2 * k);
}

void rh_read_drive(const rh_command *command, rh_order *order)
{
    read_order(command->body, (uint8_t)((command->body_count - SHARES) / 2), order);
}

bool rh_read_group(const rh_command *command, uint8_t address, rh_order *order, uint16_t *answer_after_ms)
{
    const uint8_t *body = command->body;
    uint8_t wheels = body[0], first = body[1], answers = body[2], slot_ms = body[3];
    uint8_t entry = (uint8_t)(1 + SHARES + 2 * wheels);
    uint8_t robots = (uint8_t)((command->body_count - GROUP_HEAD) / entry);
    *answer_after_ms = RH_NO_ANSWER;
    for (uint8_t place = 0; place < robots; place++) {
        const uint8_t *at = body + GROUP_HEAD + place * entry;
        if (at[0] != address)
            continue;
        read_order(at + 1, wheels, order);
        uint8_t slot = (uint8_t)((place + robots - first) % robots);
        if (slot < answers)
            *answer_after_ms = (uint16_t)(slot * slot_ms);
        return true;
    }
    return false;
}

uint8_t rh_seal(uint8_t type, uint8_t address, uint8_t sequence, const uint8_t *body, uint8_t body_count, uint8_t *frame)
{
    uint8_t payload[RH_MAX_PAYLOAD];
    uint8_t content = (uint8_t)(HEADER + body_count);
    payload[0] = RH_VERSION;
    payload[1] = type;
    payload[2] = address;
    payload[3] = sequence;
    memcpy(payload + HEADER, body, body_count);
    rh_put_u16(payload + content, rh_crc16(payload, content));
    uint8_t count = rh_cobs_encode(payload, (uint8_t)(content + CRC), frame);
    frame[count] = 0;
    return (uint8_t)(count + 1);
}

void rh_put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value & 0xFF);
    at[1] = (uint8_t)(value >> 8);
}

void rh_put_u32(uint8_t *at, uint32_t value)
{
    rh_put_u16(at, (uint16_t)(value & 0xFFFF));
    rh_put_u16(at + 2, (uint16_t)(value >> 16));
}
