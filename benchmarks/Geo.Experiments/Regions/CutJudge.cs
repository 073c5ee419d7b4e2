using System.Diagnostics;
using System.Globalization;

namespace Geo.Experiments.Regions;

/// <summary>Says what a cut has shown, and what in it is not as it should be.</summary>
internal sealed class CutJudge
{
    private readonly CutRecord _record;
    private readonly string[] _others;
    private readonly List<string> _faults = [];
    private readonly List<string> _lines = [];

    private CutJudge(CutRecord record)
    {
        (_record, _others) = (record, [.. record.Calls.Keys.Where(region => region != record.Plan.Region)]);
    }

    /// <returns>A line a figure, and a line for each thing that is not as it should be.</returns>
    public static (IReadOnlyList<string> Lines, IReadOnlyList<string> Faults) Judge(CutRecord record)
    {
        var judge = new CutJudge(record);
        judge.Writable();
        judge.Steady();
        judge.Stops();
        judge.OneAtATime();
        judge.Kept();
        judge.Returned();
        return (judge._lines, judge._faults);
    }

    private IEnumerable<(string Region, LedgerCall Call)> All =>
        from calls in _record.Calls
        from call in calls.Value
        select (calls.Key, call);

    /// <summary>Every key can be written in the others within the time, whoever had it.</summary>
    private void Writable()
    {
        var plan = _record.Plan;
        var cutOff = CutPlan.KeysOf(plan.Region, plan.Ledgers);
        Group($"keys that {plan.Region} had", cutOff);
        Group("keys of the others", plan.Owned.Except(cutOff));
        Group("keys never used before", plan.Unused);

        void Group(string what, IEnumerable<string> keys)
        {
            var times = (
                from key in keys
                from region in _others
                select (Time: FirstWrite(region, key, _record.CutAt), key, region)).OrderBy(t => t.Time).ToArray();
            Tell($"{what} are written again after {InWords(times.Select(t => t.Time))}");
            Bound(times, _record.CutAt, _record.Plan.WritableWithin);
        }
    }

    /// <summary>After that time no call of the others fails.</summary>
    private void Steady()
    {
        var from = _record.CutAt + Ticks(_record.Plan.WritableWithin);
        var calls = All.Where(c => _others.Contains(c.Region) && c.Call.Began > from && c.Call.Began < _record.HealedAt).ToArray();
        var failed = calls.Where(c => c.Call.End != CallEnd.Answered).ToArray();
        Tell(
            $"from {Seconds(_record.Plan.WritableWithin)} after the cut to its end: {calls.Length} calls in the others, "
            + $"{failed.Length} failed");
        _faults.AddRange(failed.Take(5).Select(f => $"a call of {f.Call.Key} in {f.Region} failed: {f.Call.Why}"));
    }

    /// <summary>What is cut off serves nobody after its lease.</summary>
    private void Stops()
    {
        var region = _record.Plan.Region;
        var served = _record.Calls[region]
            .Where(c => c.End == CallEnd.Answered && c.To > _record.CutAt && c.Ended < _record.HealedAt).ToArray();
        var last = served.Length == 0 ? TimeSpan.Zero : served.Max(c => Stopwatch.GetElapsedTime(_record.CutAt, c.To));
        Tell($"{region}, cut off, answered {served.Length} more calls of its own, the last of them {Seconds(last)} after the cut");
        if (last > CutPlan.Lease)
        {
            _faults.Add($"{region} served {Seconds(last)} after it was cut off, longer than its lease");
        }

        foreach (var late in _record.Tenancies[region].Where(
            t => t.First < _record.HealedAt && t.Last > _record.CutAt + Ticks(CutPlan.Lease) && t.Last < _record.HealedAt))
        {
            _faults.Add($"{region} began a call of {late.Key} {Seconds(Stopwatch.GetElapsedTime(_record.CutAt, late.Last))} after the cut");
        }
    }

    /// <summary>One tenancy after another: none begins a call before the one before it has begun its last, and answered its last.</summary>
    private void OneAtATime()
    {
        var answered = All.Where(c => c.Call.End == CallEnd.Answered).GroupBy(c => (c.Call.Key, c.Call.Epoch))
            .ToDictionary(c => c.Key, c => c.Max(call => call.Call.To));
        var tenancies = (
            from region in _record.Tenancies
            from t in region.Value
            select (Region: region.Key, t.Key, t.Epoch, t.First, Last: Math.Max(t.Last, answered.GetValueOrDefault((t.Key, t.Epoch)))))
            .GroupBy(t => t.Key).ToArray();
        foreach (var ofKey in tenancies)
        {
            var inOrder = ofKey.OrderBy(t => t.Epoch).ToArray();
            foreach (var (before, after) in inOrder.Zip(inOrder.Skip(1)))
            {
                if (before.Epoch == after.Epoch || after.First <= before.Last)
                {
                    _faults.Add(
                        $"{ofKey.Key} ran twice: in {before.Region} (epoch {before.Epoch}) until "
                        + $"{Since(before.Last)}, in {after.Region} (epoch {after.Epoch}) from {Since(after.First)}");
                }
            }
        }

        var moved = tenancies.Sum(t => t.Count() - 1);
        Tell($"{tenancies.Length} keys had {tenancies.Length + moved} tenancies; of one key no two at once");
    }

    /// <summary>What was confirmed is there once, what was refused is not, and all regions read the same.</summary>
    private void Kept()
    {
        var adds = All.Where(c => c.Call.Id != 0).Select(c => c.Call).ToArray();
        foreach (var (region, entries) in _record.Entries)
        {
            var held = entries.SelectMany(e => e.Value.Select(id => (e.Key, id))).CountBy(e => e).ToDictionary();
            var lost = adds.Where(a => a.End == CallEnd.Answered && !held.ContainsKey((a.Key, a.Id))).ToArray();
            var undead = adds.Where(a => a.End == CallEnd.Refused && held.ContainsKey((a.Key, a.Id))).ToArray();
            _faults.AddRange(lost.Take(5).Select(a => $"{region} lacks entry {a.Id} of {a.Key}, which was confirmed"));
            _faults.AddRange(undead.Take(5).Select(a => $"{region} has entry {a.Id} of {a.Key}, which was refused: {a.Why}"));
            _faults.AddRange(
                held.Where(h => h.Value > 1).Take(5).Select(h => $"{region} has entry {h.Key.id} of {h.Key.Key} {h.Value} times"));
        }

        var under = All.Where(c => _others.Contains(c.Region) && c.Call.Began < _record.CutAt && c.Call.Ended > _record.CutAt)
            .Select(c => Stopwatch.GetElapsedTime(_record.CutAt, c.Call.Ended)).DefaultIfEmpty().Max();
        Tell($"calls of the others that were under way ended after {Seconds(under)} at the latest");
        var ends = string.Join(", ", adds.CountBy(a => a.End).OrderBy(e => e.Key).Select(e => $"{e.Value} {e.Key}"));
        Tell($"writes: {ends}; all regions have each confirmed one once, and no refused one");
    }

    /// <summary>When the cut has ended the region serves again, with nobody's help, and owns what it is the first to call.</summary>
    private void Returned()
    {
        var plan = _record.Plan;
        var times = plan.Owned.Concat(plan.Unused).Concat(plan.Late)
            .Select(key => (Time: FirstWrite(plan.Region, key, _record.HealedAt), key, plan.Region))
            .OrderBy(t => t.Time).ToArray();
        Tell($"{plan.Region}, back, writes keys after {InWords(times.Select(t => t.Time))}");
        Bound(times, _record.HealedAt, CutPlan.BackWithin);
        var own = _record.Tenancies[plan.Region].Count(t => plan.Late.Contains(t.Key));
        if (own == 0)
        {
            _faults.Add($"{plan.Region} has come back and owns no key that it is the first to call");
        }
    }

    private void Bound(IEnumerable<(TimeSpan Time, string Key, string Region)> times, long since, TimeSpan bound) =>
        _faults.AddRange(
            from late in times.Where(t => t.Time > bound).Take(5)
            let slowest = _record.Calls[late.Region].Where(c => c.Key == late.Key && c.Id != 0 && c.Ended > since)
                .MaxBy(c => c.Ended - c.Began)
            select $"{late.Key} could not be written in {late.Region} for {Seconds(late.Time)}"
                + (slowest is null ? ""
                    : $"; the longest write took from {Since(slowest.Began)} to {Since(slowest.Ended)}: {slowest.Why}"));

    /// <summary>How long after a moment the first write that was made since then was confirmed.</summary>
    private TimeSpan FirstWrite(string region, string key, long since)
    {
        var ends = _record.Calls[region]
            .Where(c => c.Key == key && c.Id != 0 && c.End == CallEnd.Answered && c.Began >= since).Select(c => c.Ended).ToArray();
        return ends.Length == 0 ? TimeSpan.MaxValue : Stopwatch.GetElapsedTime(since, ends.Min());
    }

    private static string InWords(IEnumerable<TimeSpan> times)
    {
        TimeSpan[] inOrder = [.. times.Order()];
        return $"{Seconds(inOrder[inOrder.Length / 2])} (the middle one), {Seconds(inOrder[^1])} (the last)";
    }

    private string Since(long timestamp) => Seconds(Stopwatch.GetElapsedTime(_record.CutAt, timestamp));

    private static long Ticks(TimeSpan time) => (long)(time.TotalSeconds * Stopwatch.Frequency);

    private static string Seconds(TimeSpan time) => time == TimeSpan.MaxValue
        ? "ever" : string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.00} s");

    private void Tell(string line) => _lines.Add(line);
}
