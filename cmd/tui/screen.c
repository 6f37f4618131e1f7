// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "cmd.h"
#include "screen.h"

static int error_saved = -1; /* the original standard error */
static int error_text = -1;  /* the file in memory */
static struct termios terminal;
static bool terminal_known;
static bool mouse_taken;

/* ---- standard error ---------------------------------------------------------- */

int errors_catch(void)
{
	error_text = memfd_create("messages", MFD_CLOEXEC);
	error_saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (error_text < 0 || error_saved < 0)
		return failed("memfd: %s", strerror(errno));
	fcntl(error_text, F_SETFL, O_APPEND);
	dup2(error_text, STDERR_FILENO);
	return EXIT_OK;
}

void errors_release(void)
{
	if (error_saved >= 0)
		dup2(error_saved, STDERR_FILENO);
}

bool screen_messages(char *message, size_t room)
{
	char text[room], *out = message;
	ssize_t n;

	fflush(stderr);
	n = pread(error_text, text, room - 1, 0);
	if (n <= 0)
		return false;
	if (ftruncate(error_text, 0))
		return false;
	text[n] = '\0';
	/* Joins the lines, without their common begin. */
	for (char *next = text, *line; (line = strsep(&next, "\n"));) {
		if (!strncmp(line, "ktrace: ", 8))
			line += 8;
		line += strspn(line, " ");
		if (!*line)
			continue;
		if (out != message)
			*out++ = ' ';
		out = stpcpy(out, line);
	}
	return true;
}

/* ---- the terminal ------------------------------------------------------------- */

static void crashed(int number)
{
	static const char restore[] =
		"\033[?1000l\033[?25h\033[?1049l\033[0m\n";

	/* After a bug of ours the terminal must be usable. */
	if (terminal_known)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	if (write(STDOUT_FILENO, restore, sizeof(restore) - 1) < 0)
		_exit(1);
	signal(number, SIG_DFL);
	raise(number);
}

int screen_check(const char *advice)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return EXIT_OK;
	return failed("%s", advice);
}

static void colors_open(void)
{
	if (!has_colors() || getenv("NO_COLOR"))
		return;
	start_color();
	use_default_colors();
	init_pair(1, COLOR_BLACK, COLOR_CYAN);
	init_pair(2, COLOR_GREEN, -1);
	init_pair(3, COLOR_YELLOW, -1);
	init_pair(4, COLOR_CYAN, -1);
	init_pair(5, COLOR_YELLOW, -1);
}

static void mouse_open(void)
{
	mouse_taken = true;
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED
#ifdef BUTTON5_PRESSED
			  | BUTTON5_PRESSED
#endif
		  ,
		  NULL);
}

int screen_open(const char *advice, bool mouse)
{
	static const int bugs[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
	const char *name = getenv("TERM");
	int status = screen_check(advice);

	if (status)
		return status;
	terminal_known = !tcgetattr(STDIN_FILENO, &terminal);
	if (!newterm(NULL, stdout, stdin))
		return failed("the terminal `%s' (TERM) is not known here: try "
			      "TERM=xterm or TERM=vt100",
			      name ? name : "");
	for (size_t i = 0; i < sizeof(bugs) / sizeof(*bugs); i++)
		signal(bugs[i], crashed);
	colors_open();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	if (mouse)
		mouse_open();
	return EXIT_OK;
}

void screen_close(void)
{
	if (mouse_taken)
		mousemask(0, NULL);
	/* A terminal without a second screen continues in the last line. */
	move(LINES - 1, 0);
	clrtoeol();
	refresh();
	endwin();
}

/* ---- lines ---------------------------------------------------------------------- */

int color(int pair)
{
	return has_colors() && !getenv("NO_COLOR") ? COLOR_PAIR(pair) : 0;
}

int put(int y, int x, int width, const char *text)
{
	mbstate_t state = {0};
	int used = 0;

	if (y < 0 || y >= LINES || x >= COLS)
		return 0;
	if (width > COLS - x)
		width = COLS - x;
	move(y, x);
	while (*text && used < width) {
		wchar_t c;
		size_t n = mbrtowc(&c, text, MB_CUR_MAX, &state);
		int columns;

		if (n == (size_t)-1 || n == (size_t)-2 || !n) {
			memset(&state, 0, sizeof(state));
			n = 1;
			c = '?';
		}
		text += n;
		columns = wcwidth(c);
		if (columns < 0) {
			c = c == '\t' ? ' ' : '?';
			columns = 1;
		}
		if (used + columns > width)
			break;
		addnwstr(&c, 1);
		used += columns;
	}
	return used;
}

int putf(int y, int x, int width, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return put(y, x, width, text);
}

void fill(int y, attr_t attributes)
{
	attrset(attributes);
	mvhline(y, 0, ' ', COLS);
}

void window_draw(const char *title, const char *const *texts, size_t nr,
		 size_t first, size_t marked)
{
	int width = 2, height, x, y, rows;

	for (size_t i = 0; i < nr; i++)
		if ((int)strlen(texts[i]) + 4 > width)
			width = strlen(texts[i]) + 4;
	if ((int)strlen(title) + 6 > width)
		width = strlen(title) + 6;
	if (width > COLS)
		width = COLS;
	height = (int)nr + 2;
	if (height > LINES - 1)
		height = LINES - 1;
	rows = height - 2;
	if (rows < 1)
		return;
	x = (COLS - width) / 2;
	y = (LINES - height) / 2;
	if (marked != SIZE_MAX && marked >= first + rows)
		first = marked + 1 - rows;
	attrset(0);
	for (int i = 0; i < height; i++)
		mvhline(y + i, x, ' ', width);
	mvhline(y, x, ACS_HLINE, width);
	mvhline(y + height - 1, x, ACS_HLINE, width);
	mvvline(y, x, ACS_VLINE, height);
	mvvline(y, x + width - 1, ACS_VLINE, height);
	mvaddch(y, x, ACS_ULCORNER);
	mvaddch(y, x + width - 1, ACS_URCORNER);
	mvaddch(y + height - 1, x, ACS_LLCORNER);
	mvaddch(y + height - 1, x + width - 1, ACS_LRCORNER);
	putf(y, x + 2, width - 4, " %s ", title);
	for (int i = 0; i < rows && first + i < nr; i++) {
		attrset(first + i == marked ? A_REVERSE : 0);
		mvhline(y + 1 + i, x + 1, ' ', width - 2);
		put(y + 1 + i, x + 2, width - 4, texts[first + i]);
	}
	attrset(0);
}
