using Operation = Geo.Testing.HistoryOperation<int, int>;

namespace Geo.Testing.Tests;

/// <summary>The rules by which the search leaves out orders, against trying every order, for objects of any behaviour.</summary>
public class RandomModelTests
{
    [Fact]
    public void The_checker_agrees_with_trying_every_order()
    {
        var verdicts = new int[2];
        for (var seed = 0; seed < 30_000; seed++)
        {
            var random = new Random(seed);
            var model = RandomObject.Create(random);
            var history = RandomHistory(random, model);
            var expected = EveryOrder(history.Operations, 0, 0, model);
            var verdict = LinearizabilityChecker.Check(history, model.Model);
            Assert.True(
                expected == (verdict.Outcome == HistoryOutcome.Holds), $"seed {seed}: {model} {string.Join(", ", history.Operations)}");
            verdicts[expected ? 1 : 0]++;
        }

        Assert.All(verdicts, count => Assert.True(count > 5000, $"only {count} histories of one kind"));
    }

    private static History<int, int> RandomHistory(Random random, RandomObject model)
    {
        var history = new History<int, int>();
        var running = new List<Operation>();
        var (most, patience, isHonest, state) = (random.Next(2, 5), random.Next(3, 9), random.Next(2) == 0, 0);
        for (var steps = random.Next(8, 17); steps > 0; steps--)
        {
            if (running.Count < most && random.Next(2) == 0)
            {
                running.Add(history.Call("k", "p", random.Next(model.Operations)));
            }
            else if (running.Count > 0 && random.Next(patience) > 0)
            {
                var ended = running[random.Next(running.Count)];
                running.Remove(ended);
                var step = isHonest ? model.Model.Step(state, ended.Operation) : null;
                state = step?.Next ?? state;
                ended.Return(step?.Result ?? random.Next(2));
            }
        }

        return history;
    }

    private static bool EveryOrder(IReadOnlyList<Operation> operations, int placed, int state, RandomObject model)
    {
        var left = operations.Where((o, i) => (placed & (1 << i)) == 0).ToArray();
        if (left.All(o => o.ReturnedAt is null))
        {
            return true;
        }

        var firstReturn = left.Min(o => o.ReturnedAt ?? long.MaxValue);
        return operations.Index().Any(o => (placed & (1 << o.Index)) == 0 && o.Item.CalledAt < firstReturn
            && model.Model.Step(state, o.Item.Operation) is { } step && (o.Item.ReturnedAt is null || o.Item.Result == step.Result)
            && EveryOrder(operations, placed | (1 << o.Index), step.Next, model));
    }

    /// <summary>An object of a few states, whose operations read, write, compare and swap, add, or do anything.</summary>
    private sealed class RandomObject(int[][] next, int[][] results, bool tellsEffects)
    {
        public int Operations => next.Length;

        public SequentialModel<int, int, int> Model { get; } = new(
            0,
            (state, operation) => next[operation][state] < 0 ? null : (next[operation][state], results[operation][state]),
            operation => !tellsEffects ? OperationEffect.Unknown
                : next[operation].Index().All(s => s.Item < 0 || s.Item == s.Index) ? OperationEffect.Reads
                : next[operation].All(s => s >= 0 && s == next[operation][0]) && results[operation].All(r => r == results[operation][0])
                    ? OperationEffect.Overwrites
                : OperationEffect.Unknown);

        public static RandomObject Create(Random random)
        {
            var (states, operations) = (random.Next(2, 5), random.Next(2, 6));
            var (tellsEffects, isSilent) = (random.Next(5) > 0, random.Next(3) == 0);
            var (next, results) = (new int[operations][], new int[operations][]);
            for (var i = 0; i < operations; i++)
            {
                var (kind, target) = (random.Next(5), random.Next(states));
                var steps = Enumerable.Range(0, states).Select(state => ((int Next, int Result))(kind switch
                {
                    0 => (state, state),
                    1 => (target, 0),
                    2 => state == target ? ((target + 1) % states, 1) : (state, 0),
                    3 => ((state + 1) % states, isSilent ? 0 : state),
                    _ => (random.Next(6) == 0 ? -1 : random.Next(states), isSilent ? 0 : random.Next(2)),
                })).ToArray();
                (next[i], results[i]) = ([.. steps.Select(s => s.Next)], [.. steps.Select(s => s.Result)]);
            }

            return new RandomObject(next, results, tellsEffects);
        }

        public override string ToString() =>
            string.Join("; ", next.Zip(results, (n, r) => string.Join(" ", n.Zip(r, (to, gives) => $"{to}/{gives}"))));
    }
}
