using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

/// <summary>
/// Each block of C# on a page is whole: it compiles by itself against the packages, as the only file of a new console project.
/// </summary>
public sealed class CodeBlockTests(CompiledCode compiler) : IClassFixture<CompiledCode>
{
    public static TheoryData<string> Pages =>
    [
        .. Page.All.Where(page => Code(page).Any()),
    ];

    [Theory]
    [MemberData(nameof(Pages))]
    public async Task The_code_of_a_page_compiles(string page)
    {
        foreach (var block in Code(page).Where(block => Repository.HasOrleans || !CompiledCode.IsOfOrleans(block.Text)))
        {
            var errors = await compiler.ErrorsOfAsync(block.Text);
            Assert.True(errors.Count == 0, $"{block} does not compile:{Environment.NewLine}{string.Join(Environment.NewLine, errors)}");
        }
    }

    // A block that a page calls by a file's name is one of several files; GettingStartedTests build and run them together.
    private static IEnumerable<Block> Code(string page) => Page.Blocks(page).Where(block => block is { Language: "csharp", File: null });
}
