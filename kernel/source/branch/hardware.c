// SPDX-License-Identifier: GPL-2.0-only
/* What the processor records of branches: see hardware.h. */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include "hardware.h"

const char *branch_hardware_lacks(struct branch_hardware *hardware)
{
	const char *why;

	mutex_lock(&hardware->driver_mutex);
	why = hardware->driver->lacks();
	mutex_unlock(&hardware->driver_mutex);
	return why;
}

void branch_hardware_fails(struct branch_hardware *hardware, unsigned int cpu,
			   int err)
{
	WRITE_ONCE(hardware->begin_error, err);
	pr_warn("ktrace: cpu %u records no branches (%s): error %d\n", cpu,
		hardware->name, err);
}

static int cpus_begin(struct branch_hardware *hardware)
{
	int state;

	hardware->begin_error = 0;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, hardware->name,
				  hardware->cpu_begins, hardware->cpu_ends);
	if (state < 0)
		return state;
	hardware->state = state;
	if (hardware->begin_error)
		cpuhp_remove_state(state);
	return hardware->begin_error;
}

static void driver_close(const struct branch_driver *driver)
{
	if (driver->close)
		driver->close();
	module_put(driver->owner);
}

static int hardware_open(struct branch_hardware *hardware)
{
	const struct branch_driver *driver = hardware->driver;
	int err;

	if (!try_module_get(driver->owner))
		return -ENODEV;
	err = driver->open ? driver->open() : 0;
	if (err) {
		module_put(driver->owner);
		return err;
	}
	err = hardware->attach();
	if (err)
		goto err_driver;
	err = cpus_begin(hardware);
	if (!err) {
		WRITE_ONCE(hardware->is_on, true);
		return 0;
	}
	hardware->detach();
err_driver:
	driver_close(driver);
	return err;
}

int branch_hardware_begin(struct branch_hardware *hardware)
{
	int err = 0;

	mutex_lock(&hardware->mutex);
	if (!hardware->users)
		err = hardware_open(hardware);
	hardware->users += !err;
	mutex_unlock(&hardware->mutex);
	return err;
}

void branch_hardware_end(struct branch_hardware *hardware)
{
	mutex_lock(&hardware->mutex);
	if (!--hardware->users) {
		WRITE_ONCE(hardware->is_on, false);
		cpuhp_remove_state(hardware->state);
		hardware->detach();
		driver_close(hardware->driver);
	}
	mutex_unlock(&hardware->mutex);
}

int branch_hardware_play(struct branch_hardware *hardware,
			 const struct branch_driver *driver)
{
	int err = 0;

	mutex_lock(&hardware->mutex);
	if (hardware->users)
		err = -EBUSY;
	mutex_lock(&hardware->driver_mutex);
	if (!err)
		hardware->driver = driver ?: hardware->perf;
	mutex_unlock(&hardware->driver_mutex);
	mutex_unlock(&hardware->mutex);
	return err;
}

int branch_event_enable(struct perf_event *event)
{
	perf_event_enable(event);
	return READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE ? 0 : -EBUSY;
}
