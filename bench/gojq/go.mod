module carabiner/bench/gojq

go 1.24

require github.com/itchyny/gojq v0.12.17

require github.com/itchyny/timefmt-go v0.1.6 // indirect
