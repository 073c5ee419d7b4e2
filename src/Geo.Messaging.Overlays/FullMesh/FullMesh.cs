using System.Collections.Immutable;

namespace Geo.Messaging.Overlays;

/// <summary>
/// The overlay <c>full-mesh</c>: every member is linked with every other, and the membership is a gossiped <see cref="MemberSet"/>
/// (Partisan ATC'19 section 3.1). A member that is down stays one until it leaves or is removed.
/// </summary>
public sealed record FullMesh : IMembershipStrategy
{
    /// <summary>What a configuration calls it.</summary>
    public const string Name = "full-mesh";

    /// <summary>Creates the mesh of one member.</summary>
    /// <param name="self">The member.</param>
    /// <param name="options">Intervals and bounds.</param>
    public FullMesh(OverlayMember self, FullMeshOptions options)
    {
        ArgumentNullException.ThrowIfNull(self);
        ArgumentNullException.ThrowIfNull(options);
        (Self, Options, Set, Linked, Dialled, Contacts) = (self, options, MemberSet.Empty.Add(self), [], [], []);
    }

    /// <inheritdoc/>
    public OverlayMember Self { get; internal init; }

    /// <inheritdoc/>
    public bool Relays => false;

    internal FullMeshOptions Options { get; }

    /// <summary>Who is a member, and who was.</summary>
    internal MemberSet Set { get; init; }

    internal ImmutableSortedSet<PeerId> Linked { get; init; }

    /// <summary>Addresses of members that are being dialled.</summary>
    internal ImmutableHashSet<PeerAddress> Dialled { get; init; }

    /// <summary>Addresses that the application asked to join.</summary>
    internal ImmutableHashSet<PeerAddress> Contacts { get; init; }

    /// <summary>True until the first gossip after joining: what is known of this peer is then of its past.</summary>
    internal bool IsJoining { get; init; }

    internal TimeSpan NextConnect { get; init; }

    internal TimeSpan NextGossip { get; init; }

    /// <inheritdoc/>
    public OverlayStep Handle(OverlayEvent happened, Random random)
    {
        ArgumentNullException.ThrowIfNull(happened);
        var turn = new FullMeshTurn(this, happened.Now, random);
        turn.Handle(happened);
        return new OverlayStep(turn.State, turn.Effects);
    }
}
