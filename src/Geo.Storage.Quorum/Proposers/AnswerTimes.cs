namespace Geo.Storage.Quorum;

/// <summary>How long acceptors take to answer, and which of them owe an answer for longer than they use to take.</summary>
internal sealed class AnswerTimes(TimeProvider time)
{
    // How many times as long as usual an answer is waited for; and by which part what was usual is forgotten with each answer.
    private const int Times = 2;
    private const int Forgotten = 8;

    private readonly Lock _gate = new();
    private readonly Dictionary<ClusterId, (TimeSpan? Usual, long? AskedAt)> _acceptors = [];

    /// <summary>
    /// How long a majority of acceptors takes at present, the nearest ones: as long as usual, or as long as an answer is due already.
    /// Nothing where fewer have answered yet.
    /// </summary>
    public TimeSpan Of(IReadOnlyList<ClusterId> acceptors)
    {
        lock (_gate)
        {
            return acceptors.Select(a => Now(_acceptors.GetValueOrDefault(a))).OfType<TimeSpan>().Order()
                .ElementAtOrDefault(acceptors.Count / 2);
        }
    }

    /// <summary>An acceptor is asked.</summary>
    /// <returns>When.</returns>
    public long Asked(ClusterId acceptor)
    {
        var now = time.GetTimestamp();
        lock (_gate)
        {
            var (usual, askedAt) = _acceptors.GetValueOrDefault(acceptor);
            _acceptors[acceptor] = (usual, askedAt ?? now);
        }

        return now;
    }

    /// <summary>An acceptor has answered.</summary>
    /// <param name="acceptor">The acceptor.</param>
    /// <param name="askedAt">When it was asked.</param>
    /// <param name="isOneStep">True when it had one step to take, so that the time tells how far it is.</param>
    public void Answered(ClusterId acceptor, long askedAt, bool isOneStep)
    {
        var took = time.GetElapsedTime(askedAt);
        lock (_gate)
        {
            var usual = _acceptors.GetValueOrDefault(acceptor).Usual;
            _acceptors[acceptor] = (!isOneStep ? usual : took < usual ? usual - ((usual - took) / Forgotten) : took, null);
        }
    }

    /// <summary>How much longer an answer may still be on its way; null for an acceptor that has never answered.</summary>
    /// <param name="acceptor">The acceptor.</param>
    /// <param name="askedAt">When it was asked.</param>
    public TimeSpan? LeftOf(ClusterId acceptor, long askedAt)
    {
        lock (_gate)
        {
            var (usual, first) = _acceptors.GetValueOrDefault(acceptor);
            var left = (usual * Times) - time.GetElapsedTime(Math.Min(first ?? askedAt, askedAt));
            return left < TimeSpan.Zero ? TimeSpan.Zero : left;
        }
    }

    private TimeSpan? Now((TimeSpan? Usual, long? AskedAt) acceptor) =>
        acceptor.AskedAt is { } askedAt && time.GetElapsedTime(askedAt) is var due && due > acceptor.Usual ? due : acceptor.Usual;
}
