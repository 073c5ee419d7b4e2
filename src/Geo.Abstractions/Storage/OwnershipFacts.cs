namespace Geo;

/// <summary>
/// What a silo tells others of who decides whose a single-instance grain is: the clusters in rounds, or a majority of them in a store.
/// Where two silos differ in it a grain gets an owner by each.
/// </summary>
/// <param name="Store">
/// The store in which a majority keeps the owners, by its <see cref="StoreIdentity"/> and whatever its name; null where no class has
/// <see cref="SingleInstanceMode.Quorum"/>.
/// </param>
/// <param name="Classes">The single-instance classes: true where a majority decides.</param>
internal sealed record OwnershipFacts(Guid? Store, ClassFacts<bool> Classes)
{
    /// <summary>No single-instance classes.</summary>
    public static OwnershipFacts None { get; } = new(null, ClassFacts<bool>.None);

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="GeoSerializationException">The bytes are damaged.</exception>
    public static OwnershipFacts Read(ref PayloadReader from)
    {
        var store = StoreFacts.ReadIdentity(ref from);
        return new(store == Guid.Empty ? null : store, ClassFacts<bool>.Read(ref from));
    }

    public void Write(PayloadWriter to)
    {
        to.WriteBytes((Store ?? Guid.Empty).ToByteArray());
        Classes.Write(to);
    }

    /// <summary>What two silos or clusters do not have in common, in words; null where they go together.</summary>
    /// <param name="here">Names the side of these facts.</param>
    /// <param name="there">Names the other side.</param>
    /// <param name="theirs">Its facts.</param>
    /// <remarks>A class, or the mode, that only one of them has is no concern of the other: it may not have come there yet.</remarks>
    public string? DifferenceTo(string here, string there, OwnershipFacts theirs)
    {
        if (Classes.FindUnlike(theirs.Classes) is var (name, isByMajority, _))
        {
            var (with, without) = isByMajority ? (here, there) : (there, here);
            return $"the grain class '{name}' has SingleInstanceMode.Quorum in {with} and another mode in {without}, so that a grain "
                + "could get an owner by each; build both with one mode, and, to give a class another one, stop all silos of all "
                + "clusters first";
        }

        return Store is { } ours && theirs.Store is { } another && ours != another
            ? $"the store in which a majority keeps who owns the grains of SingleInstanceMode.Quorum is not the same in {here} "
                + $"({ours:N}) and in {there} ({another:N}), so that a grain could get an owner in each; have Geo:Quorum:Store "
                + "(QuorumDirectoryOptions.Store) name one store everywhere, set up alike (AddQuorumStore with the same name and clusters)"
            : null;
    }
}
