using System.Diagnostics.CodeAnalysis;

namespace Geo.Directory;

/// <summary>The sleep of a loop that others may cut short.</summary>
[SuppressMessage(
    "Reliability", "CA1001", Justification = "The token source has neither timer nor handle, and may be cancelled at any time.")]
internal sealed class Alarm(TimeProvider time)
{
    private static readonly TimeSpan Least = TimeSpan.FromMilliseconds(1);

    private CancellationTokenSource _ringing = new();

    /// <summary>Ends the sleep under way, or the next one.</summary>
    public void Ring() => Volatile.Read(ref _ringing).Cancel();

    /// <summary>To be called before the work that the alarm may call for again: who rings from here on cuts the next sleep short.</summary>
    public void Set() => Volatile.Write(ref _ringing, new());

    /// <remarks>
    /// A delay is cut to whole milliseconds: one below that would be none, and the loop would spin until its time has come.
    /// </remarks>
    public async Task SleepAsync(TimeSpan longest) =>
        await Task.Delay(longest < Least ? Least : longest, time, Volatile.Read(ref _ringing).Token)
        .ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
}
