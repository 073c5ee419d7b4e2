namespace Geo.Directory;

/// <summary>
/// What has lately become of the single-instance grains of a cluster, by the journals of all its living silos: each remembers what it has
/// done itself, and asks the others when somebody wants to know.
/// </summary>
internal sealed class MoveHistory : IDisposable
{
    /// <summary>The service by which a silo asks another for its journal.</summary>
    public const string Service = "geo.moves";

    // What a question may ask for, whoever puts it.
    private const int Limit = 1000;

    private readonly MoveJournal _own;
    private readonly SiloLiveness? _liveness;
    private readonly ISiblings? _siblings;
    private readonly IDisposable? _registration;

    /// <summary>That of a cluster of one silo.</summary>
    public MoveHistory(MoveJournal own) => _own = own;

    /// <summary>That of a cluster of several.</summary>
    public MoveHistory(MoveJournal own, SiloLiveness liveness, ISiblings siblings)
        : this(own)
    {
        (_liveness, _siblings) = (liveness, siblings);
        _registration = siblings.Handle(Service, AnswerAsync);
    }

    /// <summary>The newest moves that the silos of this cluster remember.</summary>
    /// <param name="key">Of this grain; of any when null.</param>
    /// <param name="most">How many, up to 1,000.</param>
    /// <param name="patience">How long the other silos of the cluster are waited for, all asked at one time.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask<RecentMoves> ReadAsync(GrainKey? key, int most, TimeSpan patience, CancellationToken cancellationToken)
    {
        var own = new RecentMoves(_own.Newest(most, key), _own.Forgotten, Silent: 0);
        if (_liveness is null)
        {
            return own;
        }

        var question = new PayloadWriter();
        question.WriteText(key?.ToString());
        question.WriteUnsigned((ulong)most);
        var others = await Task.WhenAll(_liveness.Siblings.Select(node => AskAsync(node, question.Written, patience, cancellationToken)));
        var all = others.Append(own).ToList();
        return new(
            [.. all.SelectMany(silo => silo.Moves).OrderByDescending(move => move.At).Take(most)],
            all.Sum(silo => silo.Forgotten), all.Sum(silo => silo.Silent));
    }

    public void Dispose() => _registration?.Dispose();

    private async Task<RecentMoves> AskAsync(
        string node, ReadOnlyMemory<byte> question, TimeSpan patience, CancellationToken cancellationToken)
    {
        var reply = await _siblings!.AskAsync(node, Service, question, patience, cancellationToken);
        try
        {
            return reply.Outcome == ReplyOutcome.Replied ? Decode(reply.Payload.Span) : new([], 0, Silent: 1);
        }
        catch (GeoSerializationException)
        {
            // Of another version: it says nothing that this one understands.
            return new([], 0, Silent: 1);
        }
    }

    private ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(payload.Span);
        GrainKey? key = reader.ReadText() is { } named ? GrainKey.Parse(named) : null;
        var moves = _own.Newest((int)Math.Min(reader.ReadUnsigned(), Limit), key);
        var answer = new PayloadWriter();
        answer.WriteUnsigned((ulong)_own.Forgotten);
        answer.WriteUnsigned((ulong)moves.Count);
        foreach (var move in moves)
        {
            move.Write(answer);
        }

        return new(answer.ToArray());
    }

    private static RecentMoves Decode(ReadOnlySpan<byte> answer)
    {
        var reader = new PayloadReader(answer);
        var forgotten = (long)reader.ReadUnsigned();
        var moves = new GrainMove[reader.ReadCount()];
        for (var i = 0; i < moves.Length; i++)
        {
            moves[i] = GrainMove.Read(ref reader);
        }

        return new(moves, forgotten, Silent: 0);
    }
}
