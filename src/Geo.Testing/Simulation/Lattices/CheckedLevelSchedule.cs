using System.Globalization;
using Geo.Consistency.Lattices;

namespace Geo.Testing;

/// <summary>A run of sessions of one of the ten levels, checked for what it and the levels that it includes promise.</summary>
internal sealed class CheckedLevelSchedule(int seed, ConsistencyLevel level) : ILatticeSchedule
{
    private readonly LevelSchedule _schedule = new(seed, level);

    /// <inheritdoc/>
    public (long Steps, TimeSpan Time) Taken => _schedule.Taken;

    /// <inheritdoc/>
    public string Contents => string.Create(
        CultureInfo.InvariantCulture, $"{level}: {_schedule.Served} calls and transactions served, {_schedule.Missed} missed");

    /// <inheritdoc/>
    public string? Run()
    {
        var history = _schedule.Run();
        foreach (var included in Enum.GetValues<ConsistencyLevel>().Where(l => level.Includes(l)))
        {
            if (LevelChecker.Check(history, included) is { Outcome: HistoryOutcome.Violated } verdict)
            {
                return $"at level {level}, {included}: {verdict.Explanation}";
            }
        }

        return null;
    }
}
