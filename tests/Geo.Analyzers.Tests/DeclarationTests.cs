namespace Geo.Analyzers.Tests;

public sealed class DeclarationTests
{
    private const string Body = " { public Task<int> Add(int by) => Task.FromResult(by); }";

    public static TheoryData<string, bool> Declarations =>
    [
        .. from attributes in (string[])
           [
               "", "[GlobalSingleInstance]", "[OneInstancePerCluster]", "[GlobalSingleInstance, OneInstancePerCluster]",
               "[CoordinationFree]", "[CoordinationFree, GlobalSingleInstance]", "[CoordinationFree, BatchedCas]", "[BatchedCas]",
               "[BatchedCas, VersionedLeader, OneInstancePerCluster]", "[VersionedLeader]", "[VersionedLeader, OneInstancePerCluster]",
               "[GlobalSingleInstance, BatchedCas]", "[OneInstancePerCluster, BatchedCas]",
               "[ReadReplica(MaxStaleness = \"00:00:05\")]", "[GlobalSingleInstance, ReadReplica(MaxStaleness = \"00:00:05\")]",
               "[OneInstancePerCluster, ReadReplica(MaxStaleness = \"00:00:05\")]",
               "[Home(\"eu\")]", "[GlobalSingleInstance, Home(\"eu\")]",
               "[OneInstancePerCluster, Home(HomePolicy.FollowsCallers)]",
           ]
           from isJournaled in (bool[])[true, false]
           select (attributes, isJournaled),
    ];

    [Theory]
    [MemberData(nameof(Declarations))]
    public async Task The_build_tells_what_a_silo_would_refuse_and_nothing_else(string attributes, bool isJournaled)
    {
        var classes =
            $"{attributes} public sealed class Counter : {(isJournaled ? "JournaledGrain<Count, Added>" : "Grain")}, ICount{Body}";

        var told = (await Compiled.TellsAsync(classes)).Where(line => line.StartsWith("GEO001", StringComparison.Ordinal)).ToArray();
        var refused = Compiled.Refused(classes, "Counter", isJournaled);

        Assert.Equal(refused is not null, told.Length > 0);
        Assert.True(
            refused is null || told.Any(line => refused.Contains(line["GEO001: Grain class Counter ".Length..], StringComparison.Ordinal)),
            $"{refused} / {string.Join(" / ", told)}");
    }

    [Fact]
    public async Task An_attribute_of_a_base_class_counts() => Assert.Single(await Compiled.TellsAsync(
        "[GlobalSingleInstance] public abstract class Base : JournaledGrain<Count, Added>, ICount" + Body
        + " [OneInstancePerCluster] public sealed class Counter : Base {}"));

    [Fact]
    public async Task A_journaled_grain_without_a_protocol_is_told_of()
    {
        Assert.StartsWith("GEO002", Assert.Single(await Compiled.TellsAsync(
            $"public sealed class Counter : JournaledGrain<Count, Added>, ICount{Body}")), StringComparison.Ordinal);
        Assert.Empty(await Compiled.TellsAsync($"public abstract class Counter : JournaledGrain<Count, Added>, ICount{Body}"));
        Assert.Empty(await Compiled.TellsAsync($"public sealed class Counter : Grain, ICount{Body}"));
    }
}
