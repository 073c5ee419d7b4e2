using System.Diagnostics;
using Geo.Experiments.Regions;

namespace Geo.Experiments.Tests.Regions;

/// <summary>What the judge of a cut says of records made by hand: eu is cut off from 10 to 20 s, and has had the key eu-0.</summary>
public sealed class CutJudgeTests
{
    private const string Key = "eu-0";
    private const string Late = "late-0";

    private static readonly CutPlan Plan = new("eu", 1, default, default, default);

    [Fact]
    public void A_cut_in_which_all_is_kept_is_right() => Assert.Empty(Faults());

    [Fact]
    public void Two_instances_at_once_are_told() =>
        Assert.Contains(Faults(takenOverAt: 11), f => f.Contains("eu-0 ran twice", StringComparison.Ordinal));

    [Fact]
    public void One_epoch_in_two_regions_is_told() =>
        Assert.Contains(Faults(nextEpoch: 1), f => f.Contains("eu-0 ran twice", StringComparison.Ordinal));

    [Fact]
    public void A_region_that_serves_longer_than_its_lease_is_told() =>
        Assert.Contains(Faults(lastServed: 12.5), f => f.Contains("longer than its lease", StringComparison.Ordinal));

    [Fact]
    public void A_confirmed_entry_that_is_lost_is_told() =>
        Assert.Contains(Faults(entries: [2, 3, 4]), f => f.Contains("lacks entry 1 of eu-0", StringComparison.Ordinal));

    [Fact]
    public void An_entry_that_counts_twice_is_told() =>
        Assert.Contains(Faults(entries: [1, 2, 3, 4, 4]), f => f.Contains("has entry 4 of eu-0 2 times", StringComparison.Ordinal));

    [Fact]
    public void A_refused_entry_that_is_there_is_told() =>
        Assert.Contains(
            Faults(entries: [1, 2, 3, 4, 9]), f => f.Contains("has entry 9 of eu-0, which was refused", StringComparison.Ordinal));

    [Fact]
    public void A_key_that_cannot_be_written_in_time_is_told() =>
        Assert.Contains(Faults(writtenAt: 15.5), f => f.Contains("eu-0 could not be written in us", StringComparison.Ordinal));

    [Fact]
    public void A_call_that_fails_late_is_told() =>
        Assert.Contains(Faults(failsAt: 16), f => f.Contains("a call of eu-0 in us failed", StringComparison.Ordinal));

    private static IReadOnlyList<string> Faults(
        double takenOverAt = 13, long nextEpoch = 2, double lastServed = 11.5, long[]? entries = null, double writtenAt = 13.5,
        double failsAt = 12)
    {
        LedgerCall Write(string key, long id, double at, long epoch) =>
            new(key, id, At(at - 0.1), At(at), CallEnd.Answered, null, epoch, At(at - 0.05), At(at - 0.01));
        var keys = Plan.Owned.Concat(Plan.Unused).Append(Late).ToArray();
        LedgerCall[] others = [.. keys.Where(k => k is not (Key or Late)).Select(k => Write(k, 7, 11, 5))];
        var calls = new Dictionary<string, LedgerCall[]>
        {
            ["us"] =
            [
                .. others, Write(Key, 2, writtenAt, nextEpoch), Write(Key, 3, 17, nextEpoch),
                new(Key, 9, At(failsAt), At(failsAt + 0.1), CallEnd.Refused, "not now"),
            ],
            ["asia"] = [.. others.Select(c => c with { Id = 8 }), Write(Key, 4, writtenAt, nextEpoch)],
            ["eu"] =
            [
                Write(Key, 1, 9, 1),
                new(Key, 0, At(lastServed - 0.1), At(lastServed), CallEnd.Answered, null, 1, At(lastServed - 0.05), At(lastServed)),
                .. keys.Select((k, i) => Write(k, 10 + i, 22, k == Key ? nextEpoch : 5)),
            ],
        };
        var tenancies = new Dictionary<string, Tenancy[]>
        {
            ["us"] = [new(Key, nextEpoch, At(takenOverAt), At(22)), .. others.Select(c => new Tenancy(c.Key, 5, At(5), At(22)))],
            ["asia"] = [],
            ["eu"] = [new(Key, 1, At(5), At(9)), new(Late, 5, At(21.9), At(22))],
        };
        var held = keys.ToDictionary(k => k, k => calls.Values.SelectMany(c => c)
            .Where(c => c.Key == k && c.Id != 0 && c.End == CallEnd.Answered).Select(c => c.Id).ToArray());
        if (entries is not null)
        {
            held[Key] = [.. entries, 10 + Array.IndexOf(keys, Key)];
        }

        var read = new Dictionary<string, Dictionary<string, long[]>> { ["us"] = held };
        return CutJudge.Judge(new(Plan, At(10), At(20), calls, tenancies, read)).Faults;
    }

    private static long At(double seconds) => (long)(seconds * Stopwatch.Frequency);
}
