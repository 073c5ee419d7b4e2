using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Packages;

/// <summary>Which builds the analyzers judge: all but a program that is only to run, in Release.</summary>
public sealed class AnalyzedBuildTests
{
    [Theory]
    [InlineData("src/Geo.Embedded")]
    [InlineData("samples/TpcwMini")]
    [InlineData("samples/TpcwMini", "-p:Configuration=Release", "-p:BuildingSolutionFile=true")]
    [InlineData("src/Geo.Embedded", "-p:Configuration=Release", "-p:_IsPacking=true")]
    [InlineData("samples/TpcwMini", "-p:Configuration=Release", "-p:RunAnalyzers=true")]
    public async Task Analyzers_judge(string project, params string[] properties) =>
        Assert.NotEqual("false", await RunAnalyzersAsync(project, properties));

    [Fact]
    public async Task A_program_that_is_built_to_be_run_in_Release_does_not_wait_for_them() =>
        Assert.Equal("false", await RunAnalyzersAsync("samples/TpcwMini", "-p:Configuration=Release"));

    private static async Task<string> RunAnalyzersAsync(string project, params string[] properties) =>
        (await DotNet.RunAsync(Repository.Root, ["msbuild", project, "-getProperty:RunAnalyzers", .. properties])).Trim();
}
