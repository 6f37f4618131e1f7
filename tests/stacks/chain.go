// SPDX-License-Identifier: GPL-2.0-only OR MIT

// A program whose goroutines know who called them: at the end of each chain of calls it prints
// what runtime.Callers() says, with a number, and closes a descriptor of that number.
package main

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

// No file has descriptors from there on.
const first = 1000000

var (
	mutex sync.Mutex
	calls = first
)

//go:noinline
func leaf(n int) int {
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	var names []string
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		names = append(names, frame.Function)
	}
	mutex.Lock()
	calls++
	number := calls
	fmt.Println(number, strings.Join(names, " "))
	mutex.Unlock()
	syscall.Syscall(syscall.SYS_CLOSE, uintptr(number), 0, 0)
	return n + 1
}

//go:noinline
func deep(n int) int {
	if n == 0 {
		return leaf(n)
	}
	return deep(n-1) + 1
}

type shape interface{ area(n int) int }

type large struct{ room [3000]int }

//go:noinline
func (l large) area(n int) int { return deep(n) + l.room[n] }

func work(n int, results chan int) {
	defer func() {
		recover()
		results <- deep(2)
	}()
	numbers := []int{3, 1, 2}
	sort.Slice(numbers, func(i, j int) bool {
		deep(n)
		return numbers[i] < numbers[j]
	})
	var s shape = large{}
	results <- s.area(n)
	time.Sleep(time.Millisecond)
	var nowhere *int
	*nowhere = 1
}

func main() {
	results := make(chan int)
	for i := 0; i < 8; i++ {
		n := i
		go func() { work(n, results) }()
	}
	for i := 0; i < 16; i++ {
		<-results
	}
	deep(40)
}
