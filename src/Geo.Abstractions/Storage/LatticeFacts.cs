namespace Geo;

/// <summary>
/// What a silo tells others of where its coordination-free grains have replicas: true for the classes that have them in some clusters.
/// Those replicas talk to each other in other ways than those of classes that have them in all, and store their states elsewhere.
/// </summary>
internal sealed record LatticeFacts(ClassFacts<bool> Classes)
{
    private const string OtherName =
        "build all alike, and, to change a class, give it another type name ([GrainType]): it begins empty then";

    /// <summary>No coordination-free classes.</summary>
    public static LatticeFacts None { get; } = new(ClassFacts<bool>.None);

    /// <summary>What two silos or clusters do not have in common, in words; null where they go together.</summary>
    /// <param name="here">Names the side of these facts.</param>
    /// <param name="there">Names the other side.</param>
    /// <param name="singles">The single-instance classes here.</param>
    /// <param name="theirs">The facts of the other side.</param>
    /// <param name="theirSingles">Its single-instance classes.</param>
    public string? DifferenceTo(string here, string there, ClassFacts<bool> singles, LatticeFacts theirs, ClassFacts<bool> theirSingles)
    {
        if (Classes.FindUnlike(theirs.Classes) is var (name, isInSome, _))
        {
            var (some, all) = isInSome ? (here, there) : (there, here);
            return $"the grain class '{name}' has replicas in some clusters ([CoordinationFree(Replicas = ...)]) in {some}, and in all in "
                + $"{all}, so that neither would receive what the other updates; {OtherName}";
        }

        var (free, single, both) = Classes.FindCommon(theirSingles) is { } freeHere ? (here, there, freeHere)
            : (there, here, singles.FindCommon(theirs.Classes));
        return both is null ? null
            : $"the grain class '{both}' is [CoordinationFree] in {free} and has a single instance in {single}, so that updates of the "
                + $"replicas never come to the instance; {OtherName}";
    }
}
