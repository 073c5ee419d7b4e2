namespace Geo.Consistency;

/// <summary>
/// Keeps the memory of a volatile grain on one silo of its cluster: two that vote at one time for one cluster could both be counted. A silo
/// that needs it asks each other one, which gives it away when no instance there shows it; it begins anew only when no silo that may still
/// run has it.
/// </summary>
internal sealed class MemoryClaims : IDisposable
{
    private const string Service = "geo.view.memory";
    private const string TakeService = "geo.view.memory.take";

    // Of the memories that a silo gives away when it stops.
    private const int MovesAtOnce = 64;

    // How soon a silo that has gone is begun to be fenced off: what it may have had is not to wait for that when it is needed.
    private static readonly TimeSpan Glance = TimeSpan.FromSeconds(1);

    // Of what was given away and may be asked for again, and of claims that have not come to an end.
    private const int MaxKept = 10_000;

    // Of the silos that have asked before the membership knew them.
    private const int MaxHeard = 1_000;

    private readonly Lock _gate = new();
    private readonly Dictionary<GrainKey, MemoryClaim> _claims = [];
    private readonly Dictionary<GrainKey, (long Claim, byte[] Memory)> _given = [];
    private readonly HashSet<string> _heard = new(StringComparer.Ordinal);
    private readonly ReplicaExchange _exchange;
    private readonly ISiloMembership _membership;
    private readonly ISiblings _siblings;
    private readonly Func<string, bool> _isGone;
    private readonly Random _random;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;
    private readonly IDisposable _registration;
    private readonly IDisposable _takeRegistration;
    private readonly ITimer _glancing;

    /// <param name="exchange">The exchange of this silo.</param>
    /// <param name="membership">The silos of the cluster.</param>
    /// <param name="siblings">The way to them.</param>
    /// <param name="isGone">True when a silo that is no living member certainly serves nothing any more.</param>
    /// <param name="random">The numbers of claims.</param>
    /// <param name="timeout">How long one silo may take to answer.</param>
    /// <param name="time">The clock.</param>
    public MemoryClaims(
        ReplicaExchange exchange, ISiloMembership membership, ISiblings siblings, Func<string, bool> isGone, Random random,
        TimeSpan timeout, TimeProvider time)
    {
        (_exchange, _membership, _siblings, _isGone, _random, _timeout) = (exchange, membership, siblings, isGone, random, timeout);
        _time = time;
        _registration = siblings.Handle(Service, AnswerAsync);
        _takeRegistration = siblings.Handle(TakeService, TakeAsync);
        exchange.Claim = ClaimAsync;
        _glancing = time.CreateTimer(static self => ((MemoryClaims)self!).Unfenced(), this, Glance, Glance);
    }

    private enum Answer : byte
    {
        None,
        Given,
        InUse,
    }

    public void Dispose()
    {
        _glancing.Dispose();
        _registration.Dispose();
        _takeRegistration.Dispose();
    }

    /// <summary>Lets other silos of the cluster have what this one remembers, before it stops; as much as the time allows.</summary>
    public async Task MoveAwayAsync()
    {
        using var limit = new CancellationTokenSource(_exchange.Memories.Options.HandOverWait, _time);
        try
        {
            foreach (var some in _exchange.Memories.All.Chunk(MovesAtOnce))
            {
                await Task.WhenAll(some.Select(memory => MoveAsync(memory.Key, limit.Token)));
            }
        }
        catch (OperationCanceledException)
        {
            // What is left ends with this silo.
        }
    }

    private async Task MoveAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var others = _membership.Members.All.Where(m => m.State == SiloState.Living && m.Node != _membership.Local).ToList();
        if (others.Count > 0)
        {
            var writer = new PayloadWriter();
            writer.WriteText(key.Type);
            writer.WriteText(key.Key);
            var node = others[(int)(key.ToPartitionKey().Mix() % (uint)others.Count)].Node;
            await _siblings.AskAsync(node, TakeService, writer.Written, _timeout, cancellationToken);
        }
    }

    /// <summary>Another silo stops: the memory comes here as any other does that is needed here.</summary>
    private async ValueTask<ReadOnlyMemory<byte>> TakeAsync(ReadOnlyMemory<byte> question, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(question.Span);
        var key = new GrainKey(reader.ReadRequiredText(), reader.ReadRequiredText());
        if (_exchange.Memories.Find(key) is null)
        {
            await ClaimAsync(key, cancellationToken);
        }

        return default;
    }

    /// <summary>A silo that is no living member and may still run; each is being fenced off from the first question on.</summary>
    private string? Unfenced()
    {
        string? unfenced = null;
        foreach (var member in _membership.Members.All)
        {
            if (member.Node != _membership.Local && member.State is not (SiloState.Living or SiloState.Leaving) && !_isGone(member.Node))
            {
                unfenced = member.Node;
            }
        }

        return unfenced;
    }

    /// <summary>
    /// Looks for the memory. That goes on when the caller gives up: another silo may have given it away already, and it is nowhere then.
    /// </summary>
    /// <exception cref="GeoUnavailableException">Another silo has the memory, or may have it.</exception>
    private async Task ClaimAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var claim = Begin(key);
        var done = new Completion<bool>(cancellationToken);
        _ = _exchange.Memories.OnHome(async () =>
        {
            try
            {
                await LookAsync(key, claim);
                done.TrySetResult(true);
            }
            catch (Exception e)
            {
                done.TrySetFaulted(e);
                throw;
            }
        });
        await done.Task;
    }

    private async Task LookAsync(GrainKey key, MemoryClaim claim)
    {
        try
        {
            if (Unfenced() is { } unfenced)
            {
                throw Elsewhere(key, unfenced, "is gone, but may still run");
            }

            foreach (var node in Asked())
            {
                await AskAsync(key, claim, node, _exchange.Memories.Stopping);
            }

            End(key, claim);
        }
        finally
        {
            lock (_gate)
            {
                claim.IsRunning = false;
            }
        }
    }

    /// <summary>The silos that can be called, and those that have asked here before the membership knew them.</summary>
    private IReadOnlyList<string> Asked()
    {
        lock (_gate)
        {
            _heard.RemoveWhere(node => _membership.Members.StateOf(node) != SiloState.Unknown);
            return [.. _membership.Siblings, .. _heard.Order(StringComparer.Ordinal)];
        }
    }

    private MemoryClaim Begin(GrainKey key)
    {
        lock (_gate)
        {
            if (!_claims.TryGetValue(key, out var claim))
            {
                Trim(_claims);
                _claims[key] = claim = new(_random.NextInt64(1, long.MaxValue));
            }

            if (claim.IsRunning)
            {
                throw new GeoUnavailableException($"The memory of {key} is being looked for; try again.");
            }

            claim.IsRunning = true;
            return claim;
        }
    }

    private async Task AskAsync(GrainKey key, MemoryClaim claim, string node, CancellationToken cancellationToken)
    {
        var writer = new PayloadWriter();
        writer.WriteText(key.Type);
        writer.WriteText(key.Key);
        writer.WriteText(_membership.Local);
        writer.WriteUnsigned((ulong)claim.Id);
        bool wasInDoubt;
        lock (_gate)
        {
            wasInDoubt = !claim.InDoubt.Add(node);
        }

        var reply = await _siblings.AskAsync(node, Service, writer.Written, _timeout, cancellationToken);
        if (reply.Outcome == ReplyOutcome.Replied || (reply.Outcome == ReplyOutcome.Refused && !wasInDoubt))
        {
            lock (_gate)
            {
                claim.InDoubt.Remove(node);
            }
        }

        if (reply.Outcome != ReplyOutcome.Replied || reply.Payload.IsEmpty)
        {
            if (_membership.Members.StateOf(node) == SiloState.Unknown && _isGone(node))
            {
                // It has asked here once, and has ended before the membership came to know it.
                lock (_gate)
                {
                    _heard.Remove(node);
                }

                return;
            }

            throw Elsewhere(key, node, $"does not answer: {reply.Reason}");
        }

        switch ((Answer)reply.Payload.Span[0])
        {
            case Answer.Given:
                claim.Given = reply.Payload[1..].ToArray();
                break;
            case Answer.InUse:
                throw Elsewhere(key, node, "has it in use");
        }
    }

    private void End(GrainKey key, MemoryClaim claim)
    {
        lock (_gate)
        {
            if (claim.Given.IsEmpty)
            {
                _exchange.Memories.GetOrCreate(key);
            }
            else
            {
                var (replica, confirmation) = MemoryCodec.Read(claim.Given.Span);
                _exchange.Memories.Bring(key, replica, confirmation);
            }

            _claims.Remove(key);
            _given.Remove(key);
        }
    }

    private ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ReadOnlyMemory<byte> question, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(question.Span);
        var key = new GrainKey(reader.ReadRequiredText(), reader.ReadRequiredText());
        var (node, id) = (reader.ReadRequiredText(), (long)reader.ReadUnsigned());
        lock (_gate)
        {
            if (_membership.Members.StateOf(node) == SiloState.Unknown && _heard.Count < MaxHeard)
            {
                _heard.Add(node);
            }

            if (_given.TryGetValue(key, out var given) && given.Claim == id)
            {
                return new(given.Memory);
            }

            if (_claims.TryGetValue(key, out var own))
            {
                own.InDoubt.RemoveWhere(n => _membership.Members.StateOf(n) is not (SiloState.Living or SiloState.Leaving) && _isGone(n));
                if (own.IsRunning || (own.InDoubt.Count > 0 && own.Given.IsEmpty))
                {
                    // What it asks for may be on its way here.
                    if (!own.IsRunning)
                    {
                        _ = ClaimAsync(key, CancellationToken.None);
                    }

                    return new(new[] { (byte)Answer.InUse });
                }

                _claims.Remove(key);
                if (!own.Given.IsEmpty)
                {
                    return new(Give(key, id, own.Given.Span));
                }
            }

            if (_exchange.Memories.TakeOut(key, out var isInUse) is { } memory)
            {
                return new(Give(key, id, MemoryCodec.Write(memory.Replica.StepDown(), memory.Confirmation)));
            }

            if (isInUse)
            {
                _exchange.AskToLeave(key);
            }

            return new(new[] { (byte)(isInUse ? Answer.InUse : Answer.None) });
        }
    }

    /// <summary>Gives a memory away, and keeps it for the case that the answer is lost: for that claim and no other.</summary>
    private byte[] Give(GrainKey key, long claim, ReadOnlySpan<byte> memory)
    {
        byte[] answer = [(byte)Answer.Given, .. memory];
        Trim(_given);
        _given[key] = (claim, answer);
        return answer;
    }

    private static void Trim<T>(Dictionary<GrainKey, T> kept)
    {
        if (kept.Count >= MaxKept)
        {
            kept.Remove(kept.Keys.First());
        }
    }

    private static GeoUnavailableException Elsewhere(GrainKey key, string node, string why) =>
        new($"The memory of {key} may be on silo '{node}', which {why}; try again.");
}
