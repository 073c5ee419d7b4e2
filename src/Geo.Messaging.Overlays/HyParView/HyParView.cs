using System.Collections.Immutable;

namespace Geo.Messaging.Overlays;

/// <summary>
/// The overlay <c>hyparview</c> (Partisan ATC'19 section 3.2): a peer is linked with the few peers of its active view and knows some more
/// in its passive view, from which it replaces neighbours that are lost. For many peers: what a member keeps does not grow with their
/// number.
/// </summary>
/// <remarks>
/// <para><see cref="OverlayNode.Members"/> is this peer and its active view, not all members.</para>
/// <para>
/// Beyond the published protocol: views that are not symmetric are found and repaired at each shuffle; a shuffle is answered along the way
/// it came, so that it opens no link; neighbours that were lost are remembered and one is tried again at each shuffle, so that the parts of
/// a partition find each other; a leaving is told to all, so that no view keeps the member.
/// </para>
/// </remarks>
public sealed record HyParView : IMembershipStrategy
{
    /// <summary>What a configuration calls it.</summary>
    public const string Name = "hyparview";

    // How many times AskTimeout a contact may take whose member has another address.
    internal const int JoinPatience = 15;

    // Enough for those who leave while news of them is still under way.
    private const int MaxGone = 256;

    internal static readonly ImmutableSortedDictionary<PeerId, OverlayMember> NoMembers =
        ImmutableSortedDictionary<PeerId, OverlayMember>.Empty;

    /// <summary>Creates the overlay of one peer.</summary>
    /// <param name="self">The peer.</param>
    /// <param name="options">The sizes of the views, the walks and the intervals.</param>
    public HyParView(OverlayMember self, HyParViewOptions options)
    {
        ArgumentNullException.ThrowIfNull(self);
        ArgumentNullException.ThrowIfNull(options);
        (Self, Options) = (self, options);
    }

    /// <inheritdoc/>
    public OverlayMember Self { get; }

    /// <inheritdoc/>
    public bool Relays => true;

    internal HyParViewOptions Options { get; }

    /// <summary>The neighbours.</summary>
    internal ImmutableSortedDictionary<PeerId, OverlayMember> Active { get; init; } = NoMembers;

    /// <summary>Peers that can take the place of a neighbour.</summary>
    internal ImmutableSortedDictionary<PeerId, OverlayMember> Passive { get; init; } = NoMembers;

    /// <summary>Peers that could not be reached.</summary>
    internal ImmutableSortedDictionary<PeerId, OverlayMember> Lost { get; init; } = NoMembers;

    /// <summary>Links that are up, those of neighbours and those that are being tried.</summary>
    internal ImmutableSortedDictionary<PeerId, OverlayMember> Linked { get; init; } = NoMembers;

    /// <summary>Peers that this one wants as neighbours and that have not answered.</summary>
    internal ImmutableSortedDictionary<PeerId, HyParViewAsk> Asked { get; init; } = ImmutableSortedDictionary<PeerId, HyParViewAsk>.Empty;

    /// <summary>Until when a link may be up that is of no use yet.</summary>
    internal ImmutableSortedDictionary<PeerId, TimeSpan> Idle { get; init; } = ImmutableSortedDictionary<PeerId, TimeSpan>.Empty;

    internal ImmutableList<PeerAddress> Contacts { get; init; } = [];

    /// <summary>
    /// Contacts that have not accepted this peer yet. That another peer did, which may be joining by this one, is not enough.
    /// </summary>
    internal ImmutableHashSet<PeerAddress> Unmet { get; init; } = [];

    /// <summary>True while this peer joins by anyone it is linked with: a contact's address may be one that no member has.</summary>
    internal bool IsJoining { get; init; }

    internal TimeSpan JoinUntil { get; init; }

    /// <summary>Incarnations that left, the latest last.</summary>
    internal ImmutableList<(PeerId Peer, long Incarnation)> Gone { get; init; } = [];

    /// <summary>Wishes to expel a peer that were passed on, the latest last.</summary>
    internal ImmutableList<ulong> Expelled { get; init; } = [];

    internal TimeSpan NextShuffle { get; init; }

    internal TimeSpan NextContact { get; init; }

    /// <inheritdoc/>
    public OverlayStep Handle(OverlayEvent happened, Random random)
    {
        ArgumentNullException.ThrowIfNull(happened);
        var turn = new HyParViewTurn(this, happened.Now, random);
        turn.Handle(happened);
        return new OverlayStep(turn.State, turn.Effects);
    }

    internal bool HasLeft(OverlayMember member) =>
        Gone.Exists(gone => gone.Peer == member.Peer && gone.Incarnation >= member.Incarnation);

    internal HyParView WithGone(PeerId peer, long incarnation) =>
        this with { Gone = (Gone.Count < MaxGone ? Gone : Gone.RemoveAt(0)).Add((peer, incarnation)) };

    internal HyParView WithExpelled(ulong wish) =>
        this with { Expelled = (Expelled.Count < MaxGone ? Expelled : Expelled.RemoveAt(0)).Add(wish) };

    /// <summary>The peer in the passive view, unless it is a neighbour, has left or cannot be dialled.</summary>
    internal HyParView WithPassive(OverlayMember member, Random random) =>
        member.Peer == Self.Peer || member.Address is null || Active.ContainsKey(member.Peer) || HasLeft(member)
        || (Passive.TryGetValue(member.Peer, out var known) && known.Incarnation > member.Incarnation)
            ? this
            : this with { Passive = Bounded(Passive, member, random), Lost = Lost.Remove(member.Peer) };

    /// <summary>The peer among the lost ones only.</summary>
    internal HyParView WithLost(OverlayMember member, Random random) =>
        member.Address is null || HasLeft(member)
            ? this with { Passive = Passive.Remove(member.Peer) }
            : this with { Passive = Passive.Remove(member.Peer), Lost = Bounded(Lost, member, random) };

    private ImmutableSortedDictionary<PeerId, OverlayMember> Bounded(
        ImmutableSortedDictionary<PeerId, OverlayMember> view, OverlayMember member, Random random) =>
        (view.Count < Options.Passive || view.ContainsKey(member.Peer) ? view : view.Remove(view.Keys.ElementAt(random.Next(view.Count))))
        .SetItem(member.Peer, member);
}
