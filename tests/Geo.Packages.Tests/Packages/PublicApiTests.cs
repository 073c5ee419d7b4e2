using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Packages;

/// <summary>
/// What a library offers stands in its <c>PublicApi.txt</c>, one line a member: nothing becomes public, or changes, unseen. After a change
/// that is meant, <c>GEO_WRITE_PUBLIC_API=1 dotnet test tests/Geo.Packages.Tests --filter "FullyQualifiedName~PublicApi"</c> writes them.
/// </summary>
public sealed class PublicApiTests
{
    public static TheoryData<string> Libraries => [.. Repository.Libraries];

    [Theory]
    [MemberData(nameof(Libraries))]
    public async Task A_library_offers_what_its_public_api_file_says(string library)
    {
        var file = Path.Combine(Repository.Root, "src", library, "PublicApi.txt");
        var offered = PublicApi.Of(Repository.Assembly(library));
        if (Environment.GetEnvironmentVariable("GEO_WRITE_PUBLIC_API") == "1")
        {
            await File.WriteAllLinesAsync(file, offered, TestContext.Current.CancellationToken);
        }

        var written = await File.ReadAllLinesAsync(file, TestContext.Current.CancellationToken);
        var (added, gone) = (offered.Except(written).ToArray(), written.Except(offered).ToArray());
        Assert.True(
            added.Length + gone.Length == 0,
            $"{library}/PublicApi.txt lacks{List(added)}\nand has, though it is no longer offered,{List(gone)}");
    }

    private static string List(string[] lines) => lines.Length == 0 ? " nothing" : string.Concat(lines.Select(line => $"\n  {line}"));
}
