namespace Geo;

/// <summary>
/// What a silo tells others of when the updates of its volatile classes with an instance in each cluster are confirmed. Where two silos
/// differ in it two leaders may confirm: one alone, and one by a majority that does without it.
/// </summary>
internal sealed record ConfirmationFacts(ClassFacts<UpdateConfirmation> Classes)
{
    /// <summary>No such classes.</summary>
    public static ConfirmationFacts None { get; } = new(ClassFacts<UpdateConfirmation>.None);

    /// <summary>What two silos or clusters do not have in common, in words; null where they go together.</summary>
    /// <param name="here">Names the side of these facts.</param>
    /// <param name="there">Names the other side.</param>
    /// <param name="theirs">Its facts.</param>
    /// <remarks>A class that only one of them has is no concern of the other: it may not have come there yet.</remarks>
    public string? DifferenceTo(string here, string there, ConfirmationFacts theirs) =>
        Classes.FindUnlike(theirs.Classes) is not var (name, mine, yours) ? null
        : $"the grain class '{name}' has UpdateConfirmation.{mine} in {here} and UpdateConfirmation.{yours} in {there}, so that two "
            + "leaders could confirm its updates; name one Confirmation in [VersionedLeader] in all builds, and, to change it, give the "
            + "class another name ([GrainType]), or stop all silos of all clusters first, which forgets its grains";
}
