namespace Geo.Analyzers.Tests;

public sealed class DeclarationFixTests
{
    [Theory]
    [InlineData("[GlobalSingleInstance, OneInstancePerCluster]\n", "Remove [GlobalSingleInstance]", "[OneInstancePerCluster]\n")]
    [InlineData("[GlobalSingleInstance, OneInstancePerCluster]\n", "Remove [OneInstancePerCluster]", "[GlobalSingleInstance]\n")]
    [InlineData("[GlobalSingleInstance]\n[OneInstancePerCluster]\n", "Remove [GlobalSingleInstance]", "[OneInstancePerCluster]\n")]
    [InlineData("[GlobalSingleInstance]\n[OneInstancePerCluster]\n", "Remove [OneInstancePerCluster]", "[GlobalSingleInstance]\n")]
    [InlineData("[CoordinationFree, GlobalSingleInstance]\n", "Remove [CoordinationFree]", "[GlobalSingleInstance]\n")]
    [InlineData(
        "[BatchedCas, VersionedLeader, OneInstancePerCluster]\n", "Remove [BatchedCas]", "[VersionedLeader, OneInstancePerCluster]\n")]
    [InlineData("[VersionedLeader]\n", "Add [OneInstancePerCluster]", "[OneInstancePerCluster]\n[VersionedLeader]\n")]
    [InlineData("[GlobalSingleInstance, VersionedLeaderAttribute]\n", "Remove [VersionedLeader]", "[GlobalSingleInstance]\n")]
    [InlineData(
        "[Geo.ReadReplica(MaxStaleness = \"00:00:05\")]\n", "Add [GlobalSingleInstance]",
        "[GlobalSingleInstance]\n[Geo.ReadReplica(MaxStaleness = \"00:00:05\")]\n")]
    [InlineData("[Geo.Home(\"eu\")]\n", "Add [GlobalSingleInstance]", "[GlobalSingleInstance]\n[Geo.Home(\"eu\")]\n")]
    [InlineData("", "Add [OneInstancePerCluster]", "[OneInstancePerCluster]\n")]
    [InlineData("", "Add [GlobalSingleInstance]", "[GlobalSingleInstance]\n")]
    [InlineData("", "Add [BatchedCas]", "[BatchedCas]\n")]
    public async Task What_is_offered_ends_the_diagnostic_and_keeps_the_rest(string attributes, string title, string expected)
    {
        var offered = await OfferedAsync(Source(attributes));

        Assert.Equal(Compiled.Prelude + Source(expected), offered[title], ignoreLineEndingDifferences: false);
        Assert.Empty(await Compiled.TellsAsync(Source(expected)));
    }

    [Fact]
    public async Task A_class_within_another_keeps_its_indentation()
    {
        const string outer = "public static class Grains\n{\n";

        var offered = await OfferedAsync($"{outer}    // Counts.\n    {Class("Counter")}}}\n");

        Assert.Equal(
            $"{Compiled.Prelude}{outer}    // Counts.\n    [BatchedCas]\n    {Class("Counter")}}}\n", offered["Add [BatchedCas]"]);
    }

    [Fact]
    public async Task An_attribute_whose_namespace_is_not_used_is_added_with_it()
    {
        var offered = await Fixed.OfferedAsync(new DeclarationFixes(), Compiled.Prelude.Replace("using Geo;\n", "") + Source(""));

        Assert.Contains("[Geo.BatchedCas]\n", offered["Add [BatchedCas]"], StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_attribute_of_a_base_class_is_not_removed_from_here()
    {
        var offered = await OfferedAsync(
            $"[OneInstancePerCluster] public abstract {Class("Base")["public sealed ".Length..]}[GlobalSingleInstance] public sealed class "
            + "Counter : Base {}");

        Assert.Equal(["Remove [GlobalSingleInstance]"], offered.Keys);
    }

    private static Task<Dictionary<string, string>> OfferedAsync(string classes) =>
        Fixed.OfferedAsync(new DeclarationFixes(), Compiled.Prelude + classes);

    private static string Source(string attributes) => $"/// <summary>Counts.</summary>\n{attributes}{Class("Counter")}";

    private static string Class(string name) =>
        $"public sealed class {name} : JournaledGrain<Count, Added>, ICount {{ public Task<int> Add(int by) => Task.FromResult(by); }}\n";
}
