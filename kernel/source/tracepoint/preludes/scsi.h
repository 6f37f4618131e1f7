/* SPDX-License-Identifier: GPL-2.0-only */
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_eh.h>
#include <scsi/scsi_host.h>

#ifndef SCSI_SENSE_VALID
#define SCSI_SENSE_VALID(command) (((command)->sense_buffer[0] & 0x70) == 0x70)
#endif
