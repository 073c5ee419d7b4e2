// Longer than most: both sides of a question of who keeps a memory, and what each owes the other.
namespace Geo.Consistency;

/// <summary>
/// Keeps the memory of a volatile grain on one silo of its cluster: two that vote at one time for one cluster could both be counted. A silo
/// that needs it asks each other one, which offers it when no instance there shows it; it begins anew only when no silo that may still
/// run has it.
/// </summary>
/// <remarks>
/// An offer changes nothing: only once all have answered, and nobody else has it, is who offered it asked to give it, and that is repeated
/// until it is answered or its silo has certainly ended. So no question that is late, lost or given up takes a memory to nowhere.
/// </remarks>
internal sealed class MemoryClaims : IDisposable
{
    internal const string TakeService = "geo.view.memory.take";
    internal const string BringService = "geo.view.memory.bring";

    private const string Service = "geo.view.memory";
    private const string GiveService = "geo.view.memory.give";
    private const string ArrivedService = "geo.view.memory.arrived";

    // How soon a silo that has gone is begun to be fenced off: what it may have had is not to wait for that when it is needed.
    private static readonly TimeSpan Glance = TimeSpan.FromSeconds(1);

    // Of offers, and of claims that have not come to an end.
    private const int MaxKept = 10_000;

    // Of the silos that have asked before the membership knew them.
    private const int MaxHeard = 1_000;

    private readonly Lock _gate = new();
    private readonly Dictionary<GrainKey, MemoryClaim> _claims = [];
    private readonly OrderedDictionary<GrainKey, (long Number, string Node)> _offers = [];
    private readonly HashSet<string> _heard = new(StringComparer.Ordinal);
    private readonly ReplicaExchange _exchange;
    private readonly ISiloMembership _membership;
    private readonly ISiblings _siblings;
    private readonly Func<string, bool> _isGone;
    private readonly Random _random;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;
    private readonly IDisposable[] _registrations;
    private readonly ITimer _glancing;

    /// <param name="exchange">The exchange of this silo.</param>
    /// <param name="membership">The silos of the cluster.</param>
    /// <param name="siblings">The way to them.</param>
    /// <param name="isGone">True when a silo certainly serves nothing any more, whatever the membership calls it.</param>
    /// <param name="random">The numbers of offers.</param>
    /// <param name="timeout">How long one silo may take to answer.</param>
    /// <param name="time">The clock.</param>
    public MemoryClaims(
        ReplicaExchange exchange, ISiloMembership membership, ISiblings siblings, Func<string, bool> isGone, Random random,
        TimeSpan timeout, TimeProvider time)
    {
        (_exchange, _membership, _siblings, _isGone, _random, _timeout) = (exchange, membership, siblings, isGone, random, timeout);
        _time = time;
        _registrations =
        [
            siblings.Handle(Service, AnswerAsync), siblings.Handle(GiveService, GiveAsync), siblings.Handle(TakeService, TakeAsync),
            siblings.Handle(BringService, BroughtAsync), siblings.Handle(ArrivedService, ArrivedAsync),
        ];
        exchange.Claim = ClaimAsync;
        _glancing = time.CreateTimer(static self => ((MemoryClaims)self!).Unfenced(), this, Glance, Glance);
    }

    private enum Answer : byte
    {
        None,
        Offered,
        Given,
        InUse,
    }

    public void Dispose()
    {
        _glancing.Dispose();
        Array.ForEach(_registrations, registration => registration.Dispose());
    }

    /// <inheritdoc cref="MemoryHandOver.RunAsync"/>
    public Task MoveAwayAsync() => new MemoryHandOver(this, _exchange, _membership, _siblings, _isGone, _timeout, _time).RunAsync();

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
            if (claim.Taking is null)
            {
                await FindAsync(key, claim);
            }

            if (claim.Taking is { } taking)
            {
                await TakeOverAsync(key, claim, taking.Node, taking.Offer);
            }
        }
        finally
        {
            lock (_gate)
            {
                claim.IsRunning = false;
                if (claim.Taking is null)
                {
                    _claims.Remove(key);
                }
            }
        }
    }

    /// <summary>Asks all; where nobody has the memory it begins here.</summary>
    private async Task FindAsync(GrainKey key, MemoryClaim claim)
    {
        if (Unfenced() is { } unfenced)
        {
            throw Elsewhere(key, unfenced, "is gone, but may still run");
        }

        (string Node, long Offer)? offered = null;
        foreach (var node in Asked())
        {
            offered = await AskAsync(key, node) is { } offer ? (node, offer) : offered;
        }

        lock (_gate)
        {
            claim.Taking = offered;
            if (offered is null)
            {
                _exchange.Memories.GetOrCreate(key);
                _exchange.Memories.Given.Remove(key);
            }
        }
    }

    private async Task TakeOverAsync(GrainKey key, MemoryClaim claim, string node, long offer)
    {
        var reply = await _siblings.AskAsync(node, GiveService, Named(key, offer).Written, _timeout, _exchange.Memories.Stopping);
        lock (_gate)
        {
            if (claim.Taking is null)
            {
                // It was brought here meanwhile.
                return;
            }

            if (reply.Outcome == ReplyOutcome.Replied && !reply.Payload.IsEmpty)
            {
                if (!TryTake(key, claim, reply.Payload.Span))
                {
                    throw Elsewhere(key, node, "has come to use it");
                }
            }
            else
            {
                if (_isGone(node))
                {
                    // Whether or not it gave the memory away before, that has ended with it.
                    claim.Taking = null;
                }

                throw Elsewhere(key, node, $"does not answer: {reply.Reason}");
            }
        }

        _siblings.Tell(node, ArrivedService, Named(key, offer).Written);
    }

    /// <summary>Ends a claim with what the other silo has answered; false where that keeps the memory.</summary>
    private bool TryTake(GrainKey key, MemoryClaim claim, ReadOnlySpan<byte> answer)
    {
        claim.Taking = null;
        if ((Answer)answer[0] != Answer.Given)
        {
            return false;
        }

        var (replica, confirmation) = MemoryCodec.Read(answer[1..]);
        _exchange.Memories.Bring(key, replica, confirmation);
        _exchange.Memories.Given.Remove(key);
        return true;
    }

    /// <summary>A silo that stops brings what it gave to this one, which had no answer of it.</summary>
    private ValueTask<ReadOnlyMemory<byte>> BroughtAsync(ReadOnlyMemory<byte> brought, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(brought.Span);
        var (key, offer) = ReadNamed(ref reader);
        var from = reader.ReadRequiredText();
        lock (_gate)
        {
            if (_claims.TryGetValue(key, out var claim) && claim.Taking == (from, offer))
            {
                TryTake(key, claim, reader.Rest);
                if (!claim.IsRunning)
                {
                    _claims.Remove(key);
                }
            }
        }

        return Said(Answer.Given);
    }

    private ValueTask<ReadOnlyMemory<byte>> ArrivedAsync(ReadOnlyMemory<byte> notice, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(notice.Span);
        var (key, offer) = ReadNamed(ref reader);
        _exchange.Memories.Given.Arrived(key, offer);
        return default;
    }

    /// <summary>What this silo may have been given and does not have yet.</summary>
    internal IReadOnlyList<GrainKey> Unresolved()
    {
        lock (_gate)
        {
            return [.. _claims.Where(claim => claim.Value is { IsRunning: false, Taking: not null }).Select(claim => claim.Key)];
        }
    }

    /// <summary>What this silo may have been given comes here, or turns out to have stayed where it was.</summary>
    internal async Task TryResolveAsync(GrainKey key, CancellationToken cancellationToken)
    {
        try
        {
            await ClaimAsync(key, cancellationToken);
        }
        catch (GeoUnavailableException)
        {
            // Its silo does not answer; whoever needs the memory tries again.
        }
    }

    /// <summary>
    /// The silos that can be called and are not fenced off, and those that have asked here before the membership knew them.
    /// </summary>
    private IReadOnlyList<string> Asked()
    {
        lock (_gate)
        {
            _heard.RemoveWhere(node => _membership.Members.StateOf(node) != SiloState.Unknown);
            return [.. _membership.Siblings.Where(node => !_isGone(node)), .. _heard.Order(StringComparer.Ordinal)];
        }
    }

    private MemoryClaim Begin(GrainKey key)
    {
        lock (_gate)
        {
            if (!_claims.TryGetValue(key, out var claim))
            {
                _claims[key] = claim = _claims.Count < MaxKept ? new() : throw new GeoUnavailableException(
                    $"The memories of {MaxKept} grains are being looked for, which is as many as a silo does; try again.");
            }

            if (claim.IsRunning)
            {
                throw new GeoUnavailableException($"The memory of {key} is being looked for; try again.");
            }

            claim.IsRunning = true;
            return claim;
        }
    }

    /// <summary>Asks one silo; gives its offer, or null where it has nothing.</summary>
    private async Task<long?> AskAsync(GrainKey key, string node)
    {
        var writer = new PayloadWriter();
        writer.WriteText(key.Type);
        writer.WriteText(key.Key);
        writer.WriteText(_membership.Local);
        var reply = await _siblings.AskAsync(node, Service, writer.Written, _timeout, _exchange.Memories.Stopping);
        if (reply.Outcome != ReplyOutcome.Replied || reply.Payload.IsEmpty)
        {
            if (_isGone(node))
            {
                // Fenced off meanwhile; or it has asked here once, and has ended before the membership came to know it.
                lock (_gate)
                {
                    _heard.Remove(node);
                }

                return null;
            }

            throw Elsewhere(key, node, $"does not answer: {reply.Reason}");
        }

        var reader = new PayloadReader(reply.Payload.Span);
        return (Answer)reader.ReadByte() switch
        {
            Answer.None => null,
            Answer.Offered => (long)reader.ReadUnsigned(),
            Answer.InUse => throw Elsewhere(key, node, "has it in use"),
            _ => throw Elsewhere(key, node, "answers in a form that this version of Geo does not know"),
        };
    }

    private ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ReadOnlyMemory<byte> question, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(question.Span);
        var key = new GrainKey(reader.ReadRequiredText(), reader.ReadRequiredText());
        var node = reader.ReadRequiredText();

        // Without a lease another silo may have begun the memory anew: this one's is nobody's then.
        _exchange.Memories.EnsureMayServe(key);
        lock (_gate)
        {
            if (_membership.Members.StateOf(node) == SiloState.Unknown && _heard.Count < MaxHeard)
            {
                _heard.Add(node);
            }

            if (_claims.TryGetValue(key, out var own))
            {
                if (!own.IsRunning)
                {
                    _ = TryResolveAsync(key, _exchange.Memories.Stopping);
                }

                // What it looks for may be on its way here.
                return Said(Answer.InUse);
            }

            if (!_exchange.Memories.Has(key, out var isInUse))
            {
                return Said(Answer.None);
            }

            if (!isInUse)
            {
                return Offer(key, node);
            }
        }

        // Not under the gate: the host ends the activation, under a lock of its own that others may hold who wait for the gate.
        _exchange.AskToLeave(key);
        return Said(Answer.InUse);
    }

    /// <summary>Offers a memory that nobody here uses; under the gate.</summary>
    private ValueTask<ReadOnlyMemory<byte>> Offer(GrainKey key, string node)
    {
        var offer = _random.NextInt64(1, long.MaxValue);
        if (_offers.Count >= MaxKept)
        {
            _offers.RemoveAt(0);
        }

        _offers[key] = (offer, node);
        var writer = new PayloadWriter();
        writer.WriteByte((byte)Answer.Offered);
        writer.WriteUnsigned((ulong)offer);
        return new(writer.Written);
    }

    /// <summary>Gives a memory away that was offered; to who asks again, because the answer was lost, once more.</summary>
    private ValueTask<ReadOnlyMemory<byte>> GiveAsync(ReadOnlyMemory<byte> question, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(question.Span);
        var (key, offer) = ReadNamed(ref reader);
        _exchange.Memories.EnsureMayServe(key);
        lock (_gate)
        {
            if (_exchange.Memories.Given.Find(key, offer) is { } given)
            {
                return new(given);
            }

            if (!_offers.TryGetValue(key, out var last) || last.Number != offer
                || _exchange.Memories.TakeOut(key, out _) is not { } memory)
            {
                return Said(Answer.InUse);
            }

            _offers.Remove(key);
            byte[] answer = [(byte)Answer.Given, .. MemoryCodec.Write(memory.Replica.StepDown(), memory.Confirmation)];
            _exchange.Memories.Given.Add(key, new(offer, last.Node, answer));
            return new(answer);
        }
    }

    private static ValueTask<ReadOnlyMemory<byte>> Said(Answer answer) => new(new[] { (byte)answer });

    internal static PayloadWriter Named(GrainKey key, long offer)
    {
        var writer = new PayloadWriter();
        writer.WriteText(key.Type);
        writer.WriteText(key.Key);
        writer.WriteUnsigned((ulong)offer);
        return writer;
    }

    private static (GrainKey Key, long Offer) ReadNamed(ref PayloadReader reader) =>
        (new(reader.ReadRequiredText(), reader.ReadRequiredText()), (long)reader.ReadUnsigned());

    private static GeoUnavailableException Elsewhere(GrainKey key, string node, string why) =>
        new($"The memory of {key} may be on silo '{node}', which {why}; try again.");
}
