using Call = Geo.Testing.HistoryOperation<Geo.Testing.UpdateCall, Geo.Testing.SeenUpdates>;

namespace Geo.Testing.Tests;

/// <summary>The checkers of guarantees against the guarantees as they are defined, call by call.</summary>
public class RandomUpdateHistoryTests
{
    [Theory]
    [InlineData(Guarantees.ReadYourWrites)]
    [InlineData(Guarantees.MonotonicReads)]
    [InlineData(Guarantees.MonotonicWrites)]
    [InlineData(Guarantees.WritesFollowReads)]
    [InlineData(Guarantees.Causal)]
    [InlineData(Guarantees.ConsistentPrefix)]
    public void The_checker_agrees_with_the_definition(Guarantees guarantee)
    {
        var verdicts = new int[2];
        for (var seed = 0; seed < 10_000; seed++)
        {
            var history = Record(new Random(seed));
            var verdict = GuaranteeChecker.Check(history, guarantee);
            var expected = Keeps(history.Operations, guarantee);
            Assert.True(
                expected == (verdict.Outcome == HistoryOutcome.Holds),
                $"seed {seed}: {verdict.Outcome} {verdict.Explanation} {string.Join(", ", history.Operations)}");
            verdicts[expected ? 1 : 0]++;
        }

        Assert.All(verdicts, count => Assert.True(count > 50, $"only {count} histories of one kind"));
    }

    /// <summary>Sessions that write to logs, at times in their midst, and read them, at times not to their end or with a hole.</summary>
    private static History<UpdateCall, SeenUpdates> Record(Random random)
    {
        var (sessions, keys, trouble) = (random.Next(2, 4), random.Next(1, 3), random.Next(3) == 0 ? 0.5 : 0.1);
        var history = new History<UpdateCall, SeenUpdates>();
        var logs = new[] { new List<long>(), new List<long>() };
        var running = new Dictionary<int, (Call Call, SeenUpdates Result)>();
        for (var (i, count) = (1, random.Next(3, 9)); i <= count; i++)
        {
            var (session, key) = (random.Next(sessions), random.Next(keys));
            if (running.Remove(session, out var ended))
            {
                ended.Call.Return(ended.Result);
            }

            var isWrite = random.Next(2) == 0;
            var call = history.Call($"k{key}", $"s{session}", isWrite ? new(UpdateCallKind.Write, i) : new(UpdateCallKind.Read));
            var log = logs[key];
            if (isWrite)
            {
                log.Insert(random.NextDouble() < trouble ? random.Next(log.Count + 1) : log.Count, i);
            }

            var hole = random.NextDouble() < trouble ? random.Next(log.Count + 1) : -1;
            var end = random.NextDouble() < 2 * trouble ? random.Next(log.Count + 1) : log.Count;
            var result = isWrite ? SeenUpdates.None : new SeenUpdates([.. log.Take(end).Where((_, at) => at != hole)]);
            switch (random.Next(5))
            {
                case 0 when isWrite:
                    break;
                case 1:
                    running[session] = (call, result);
                    break;
                default:
                    call.Return(result);
                    break;
            }
        }

        foreach (var (call, result) in running.Values)
        {
            call.Return(result);
        }

        return history;
    }

    private static bool Keeps(IReadOnlyList<Call> history, Guarantees guarantee)
    {
        var writes = history.Where(IsWrite).ToArray();
        var reads = history.Where(o => !IsWrite(o) && o.ReturnedAt is not null).ToArray();
        return guarantee switch
        {
            Guarantees.ReadYourWrites => reads.All(r => writes.Where(w => w.Key == r.Key && Precedes(w, r)).All(w => Place(r, w) >= 0)),
            Guarantees.MonotonicReads => reads.All(r => reads.Where(q => q.Key == r.Key && Precedes(q, r))
                .All(q => writes.All(w => Place(q, w) < 0 || Place(r, w) >= 0))),
            Guarantees.MonotonicWrites => IsSeenInOrder((v, w) => Precedes(v, w)),
            Guarantees.WritesFollowReads => IsSeenInOrder((v, w) => reads.Any(q => Place(q, v) >= 0 && Precedes(q, w))),
            Guarantees.ConsistentPrefix => reads.All(r => reads.All(q => q.Key != r.Key || q.Result!.Updates.Count < r.Result!.Updates.Count
                || q.Result.Updates.Take(r.Result.Updates.Count).SequenceEqual(r.Result.Updates))),
            _ => IsCausal(history, writes, reads),
        };

        bool IsSeenInOrder(Func<Call, Call, bool> isBefore) => reads.All(r => writes.All(w => Place(r, w) < 0
            || writes.All(v => v.Key != w.Key || !isBefore(v, w) || (Place(r, v) >= 0 && Place(r, v) < Place(r, w)))));
    }

    private static bool IsCausal(IReadOnlyList<Call> history, Call[] writes, Call[] reads)
    {
        var count = history.Count;
        var isCause = new bool[count, count];
        var all = Enumerable.Range(0, count).ToArray();
        foreach (var (i, j) in all.SelectMany(i => all.Select(j => (i, j))))
        {
            isCause[i, j] = Precedes(history[i], history[j]) || Place(history[j], history[i]) >= 0;
        }

        foreach (var (k, i, j) in all.SelectMany(k => all.SelectMany(i => all.Select(j => (k, i, j)))))
        {
            isCause[i, j] |= isCause[i, k] && isCause[k, j];
        }

        var numbers = history.Index().ToDictionary(o => o.Item, o => o.Index);
        return reads.All(r => writes.Where(v => v.Key == r.Key).All(v =>
            (!isCause[numbers[v], numbers[r]] || Place(r, v) >= 0)
            && writes.All(w => Place(r, w) < 0 || !isCause[numbers[v], numbers[w]] || (Place(r, v) >= 0 && Place(r, v) < Place(r, w)))));
    }

    private static bool IsWrite(Call call) => call.Operation.Kind == UpdateCallKind.Write;

    private static bool Precedes(Call first, Call second) => first.Process == second.Process && first.ReturnedAt < second.CalledAt;

    /// <summary>Where a read sees an update; negative where it does not.</summary>
    private static int Place(Call read, Call write) => read.Key == write.Key && read.ReturnedAt is not null && !IsWrite(read)
        ? read.Result!.Updates.ToList().IndexOf(write.Operation.Update)
        : -1;
}
