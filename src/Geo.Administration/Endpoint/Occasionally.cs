namespace Geo.Administration;

/// <summary>
/// Says when something that anybody can cause, however often, is to be logged: once in ten seconds, with how often it was not.
/// </summary>
internal sealed class Occasionally(TimeProvider time)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private long? _last;
    private long _others;

    /// <summary>True when it is to be logged.</summary>
    /// <param name="others">How often it was not since it was logged last.</param>
    public bool IsDue(out long others)
    {
        lock (_gate)
        {
            others = _others;
            if (_last is { } last && time.GetElapsedTime(last) < Interval)
            {
                _others++;
                return false;
            }

            (_last, _others) = (time.GetTimestamp(), 0);
            return true;
        }
    }
}
