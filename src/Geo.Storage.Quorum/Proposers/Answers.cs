namespace Geo.Storage.Quorum;

/// <summary>The answers of acceptors to one question, as far as they have come.</summary>
internal sealed class Answers
{
    private readonly int _asked;
    private readonly int _majority;
    private readonly List<QuorumReply> _replies = [];
    private int _silent;

    /// <param name="asked">How many acceptors are asked.</param>
    /// <param name="majority">How many of them decide.</param>
    public Answers(int asked, int majority)
    {
        _asked = asked;
        _majority = SwitchedOff.Is(ProtocolRule.MajorityDecides) ? _asked / 2 : majority;
    }

    public IReadOnlyList<QuorumReply> Replies => _replies;

    /// <summary>The highest ballot that an acceptor has promised to somebody, where it refused; none where none did.</summary>
    public Ballot Refused => Replies.OfType<RefusedReply>().Select(r => r.Promised).DefaultIfEmpty().Max();

    /// <summary>Takes an answer; null for an acceptor that gives none.</summary>
    public void Take(QuorumReply? reply)
    {
        if (reply is null)
        {
            _silent++;
        }
        else
        {
            _replies.Add(reply);
        }
    }

    /// <summary>True when a majority has given an answer of a kind.</summary>
    public bool HasMajority<TReply>()
        where TReply : QuorumReply => _replies.Count(r => r is TReply) >= _majority;

    /// <summary>True when it is known whether a majority gives an answer of a kind.</summary>
    public bool IsClear<TReply>()
        where TReply : QuorumReply =>
        HasMajority<TReply>() || IsComplete || _replies.Count(r => r is not TReply) + _silent > _asked - _majority;

    /// <summary>True when all have answered or will not.</summary>
    public bool IsComplete => _replies.Count + _silent == _asked;

    /// <summary>True when all have given an answer of a kind.</summary>
    public bool IsUnanimous<TReply>()
        where TReply : QuorumReply => _replies.Count(r => r is TReply) == _asked;
}
