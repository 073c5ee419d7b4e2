namespace Geo.Experiments.Losses;

/// <summary>How long it took in one run until the last of its arrays, and the middle one, was answered anew or refused.</summary>
/// <param name="AnsweredMiddle">Of the optimistic arrays.</param>
/// <param name="AnsweredLast">Of the optimistic arrays.</param>
/// <param name="RefusedMiddle">Of the pessimistic arrays.</param>
/// <param name="RefusedLast">Of the pessimistic arrays.</param>
internal sealed record LossTimes(TimeSpan AnsweredMiddle, TimeSpan AnsweredLast, TimeSpan RefusedMiddle, TimeSpan RefusedLast)
{
    /// <summary>From the times of all optimistic arrays, and then of as many pessimistic ones.</summary>
    public static LossTimes Of(TimeSpan[] times)
    {
        var optimistic = times[..(times.Length / 2)].Order().ToArray();
        var pessimistic = times[(times.Length / 2)..].Order().ToArray();
        return new(optimistic[optimistic.Length / 2], optimistic[^1], pessimistic[pessimistic.Length / 2], pessimistic[^1]);
    }
}
