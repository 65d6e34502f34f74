package cpu

import "context"

// take supplies the next problem if there is one and it fits; if wait is set, it waits for one.
type take func(wait bool, fits func(problem int) bool) (problem int, ok bool, err error)

// block is a worker's set of problems in progress.
type block interface {
	empty() bool
	// fits tells whether a problem of so many rows has room.
	fits(rows int) bool
	load(problem int)
	// step iterates, and hands in what is finished.
	step(ctx context.Context) error
}

// run solves the problems that take supplies.
func run(ctx context.Context, b block, take func(wait bool) (int, bool, error)) error {
	for {
		for {
			problem, ok, err := take(b.empty())
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			b.load(problem)
		}
		if b.empty() {
			return nil
		}
		if err := b.step(ctx); err != nil {
			return err
		}
	}
}

// cascade solves the problems that take supplies, of so many rows each, in blocks of the given size: what float32
// cannot, in float64, whose block solves what that cannot either by potentials.
func cascade(
	ctx context.Context, size int, rows func(problem int) int, take take,
	narrow func(lost func(problem int) error) block, wide func() block,
) error {
	var lost []int
	waiting := 0 // rows of those
	var second block
	first := narrow(func(problem int) error {
		lost = append(lost, problem)
		waiting += rows(problem)
		return nil
	})
	fits := func(problem int) bool { return first.fits(rows(problem)) }
	return run(ctx, first, func(wait bool) (int, bool, error) {
		// What is lost holds up the stream: others may be waiting for it.
		if waiting >= size || wait && waiting > 0 {
			if second == nil {
				second = wide()
			}
			waiting = 0
			err := run(ctx, second, func(bool) (int, bool, error) {
				if len(lost) == 0 || !second.fits(rows(lost[0])) {
					return 0, false, nil
				}
				problem := lost[0]
				lost = lost[1:]
				return problem, true, nil
			})
			if err != nil {
				return 0, false, err
			}
		}
		return take(wait, fits)
	})
}
