namespace Geo.Packages.Tests.Docs;

/// <summary>A fenced block of a page.</summary>
/// <param name="Page">The page, from the root of the repository.</param>
/// <param name="Line">The line of its opening fence, the first is 1.</param>
/// <param name="Language">The word behind the fence; empty for none.</param>
/// <param name="File">The file that the line before it names, as in "`Program.cs`:"; null where it names none.</param>
/// <param name="Text">What is inside.</param>
internal sealed record Block(string Page, int Line, string Language, string? File, string Text)
{
    public string[] Lines => Text.Split('\n', StringSplitOptions.RemoveEmptyEntries);

    public override string ToString() => $"{Page}:{Line}";
}
