// Measures gojq on the filters and the input given on standard input, and prints CPU nanoseconds per evaluation as JSON.
// Programs are compiled once and run on a value parsed beforehand, without the deep copy that operators usually make.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"github.com/itchyny/gojq"
)

type job struct {
	Filters []string `json:"filters"`
	Input   any      `json:"input"`
	// CPU milliseconds to spend on each filter.
	Budget int64 `json:"budget"`
}

func cpuNanoseconds() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func evaluate(code *gojq.Code, input any) {
	for iter := code.Run(input); ; {
		value, ok := iter.Next()
		if !ok {
			return
		}
		if err, failed := value.(error); failed {
			panic(err)
		}
	}
}

func measure(filter string, input any, budget int64) float64 {
	query, err := gojq.Parse(filter)
	if err != nil {
		panic(fmt.Errorf("%s: %w", filter, err))
	}
	code, err := gojq.Compile(query)
	if err != nil {
		panic(fmt.Errorf("%s: %w", filter, err))
	}
	count := int64(0)
	start := cpuNanoseconds()
	for {
		for i := 0; i < 200; i++ {
			evaluate(code, input)
		}
		count += 200
		if spent := cpuNanoseconds() - start; spent > budget*1_000_000 {
			return float64(spent) / float64(count)
		}
	}
}

func main() {
	var work job
	if err := json.NewDecoder(os.Stdin).Decode(&work); err != nil {
		panic(err)
	}
	result := make([]float64, 0, len(work.Filters))
	for _, filter := range work.Filters {
		result = append(result, measure(filter, work.Input, work.Budget))
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}
