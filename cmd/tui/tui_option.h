/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_TUI_OPTION_H
#define KT_CMD_TUI_OPTION_H

extern const struct command_option tui_options[];

#endif /* KT_CMD_TUI_OPTION_H */
