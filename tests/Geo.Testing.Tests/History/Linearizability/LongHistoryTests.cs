using System.Diagnostics;

namespace Geo.Testing.Tests;

/// <summary>
/// What long histories of one key cost: a register with eight clients, half of the calls writes. Work is counted in calls of the model,
/// which are the same on every machine: the search makes some for each configuration that it visits or rules out.
/// </summary>
public class LongHistoryTests
{
    private const int MebiByte = 1024 * 1024;

    [Fact]
    public void Sixty_thousand_operations_take_work_and_memory_in_proportion()
    {
        var few = Check(20_000, timeOuts: 0, HistoryOutcome.Holds);
        var many = Check(60_000, timeOuts: 0, HistoryOutcome.Holds);
        Assert.True(many.Bytes < 40 * MebiByte, $"{many.Bytes / MebiByte} MiB");
        Assert.True(many.Bytes < 4 * few.Bytes, $"{few.Bytes / MebiByte} MiB for 20,000, {many.Bytes / MebiByte} MiB for 60,000");
        Assert.True(many.Steps < 4 * few.Steps, $"{few.Steps} steps for 20,000, {many.Steps} for 60,000");
        AssertSteps(many.Steps, 20);
    }

    [Theory]
    [InlineData(2, 100)]
    [InlineData(10, 320)]
    public void Time_outs_that_take_effect_later_or_never_are_decided(int percent, int stepsPerOperation)
    {
        var (bytes, steps, _) = Check(60_000, percent, HistoryOutcome.Holds);
        Assert.True(bytes < 100 * MebiByte, $"{bytes / MebiByte} MiB");
        AssertSteps(steps, stepsPerOperation);
    }

    [Fact]
    public void One_stale_read_at_the_end_of_sixty_thousand_operations_is_found()
    {
        var (bytes, steps, _) = Check(60_000, timeOuts: 0, HistoryOutcome.Violated);
        Assert.True(bytes < 100 * MebiByte, $"{bytes / MebiByte} MiB");
        AssertSteps(steps, 200);
    }

    [Fact(Explicit = true)]
    public void Measure()
    {
        var unit = 0.0;
        foreach (var (count, timeOuts, outcome) in new[]
        {
            (20_000, 0, HistoryOutcome.Holds), (60_000, 0, HistoryOutcome.Holds), (180_000, 0, HistoryOutcome.Holds),
            (60_000, 2, HistoryOutcome.Holds), (60_000, 10, HistoryOutcome.Holds), (60_000, 0, HistoryOutcome.Violated),
            (60_000, 2, HistoryOutcome.Violated),
        })
        {
            var rounds = Enumerable.Range(0, 3).Select(_ => Check(count, timeOuts, outcome)).ToArray();
            var time = rounds.Min(r => r.Time.TotalMilliseconds);
            unit = unit == 0 ? time : unit;
            var size = rounds[0].Bytes / (double)MebiByte;
            TestContext.Current.TestOutputHelper!.WriteLine(
                $"{count} operations, {timeOuts} % open, {outcome}: {time:0} ms, {time / unit:0.0}x, {size:0.0} MiB, "
                + $"{rounds[0].Steps / count} steps each");
        }
    }

    private static void AssertSteps(long steps, int perOperation) =>
        Assert.True(steps < 60_000L * perOperation, $"{steps / 60_000.0:0.0} steps of the model for each operation");

    private static (long Bytes, long Steps, TimeSpan Time) Check(int count, int timeOuts, HistoryOutcome expected)
    {
        var steps = 0L;
        var register = new SequentialModel<int, (string Name, int Value), int>(
            0,
            (state, operation) =>
            {
                steps++;
                return operation.Name == "write" ? (operation.Value, 0) : (state, state);
            },
            operation => operation.Name == "write" ? OperationEffect.Overwrites : OperationEffect.Reads);
        var history = Record(count, timeOuts, expected == HistoryOutcome.Violated);
        var (before, watch) = (GC.GetAllocatedBytesForCurrentThread(), Stopwatch.StartNew());
        var verdict = LinearizabilityChecker.Check(history, register);
        var (bytes, time) = (GC.GetAllocatedBytesForCurrentThread() - before, watch.Elapsed);
        Assert.True(expected == verdict.Outcome, $"{verdict.Outcome}: {verdict.Explanation}");
        return (bytes, steps, time);
    }

    /// <summary>
    /// A register whose operations take effect at some moment between call and return; of the writes that time out one half does so later.
    /// </summary>
    private static History<(string Name, int Value), int> Record(int count, int timeOuts, bool hasStaleRead)
    {
        var random = new Random(1);
        var history = new History<(string Name, int Value), int>();
        var running = new List<(HistoryOperation<(string Name, int Value), int> Operation, int? Result)>();
        var late = new Queue<int>();
        for (var (state, called) = (0, 0); called < count || running.Count > 0;)
        {
            if (called < count && running.Count < 8 && random.Next(3) == 0)
            {
                var asked = random.Next(2) == 0 ? ("write", ++called) : ("read", 0 * ++called);
                running.Add((history.Call("k", $"p{called % 8}", asked), null));
                continue;
            }

            if (running.Count == 0)
            {
                continue;
            }

            var at = random.Next(running.Count);
            var (operation, result) = running[at];
            if (result is { } ended)
            {
                operation.Return(ended);
                running.RemoveAt(at);
            }
            else if (random.Next(100) < timeOuts)
            {
                running.RemoveAt(at);
                if (operation.Operation.Name == "write" && random.Next(2) == 0)
                {
                    late.Enqueue(operation.Operation.Value);
                }
            }
            else if (operation.Operation.Name == "write")
            {
                (state, running[at]) = (operation.Operation.Value, (operation, 0));
            }
            else
            {
                running[at] = (operation, hasStaleRead && called > count - 1000 ? 1 : state);
                hasStaleRead &= called <= count - 1000;
            }

            state = late.Count > 0 && random.Next(50) == 0 ? late.Dequeue() : state;
        }

        return history;
    }
}
