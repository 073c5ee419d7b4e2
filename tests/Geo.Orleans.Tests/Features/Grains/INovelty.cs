namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>
/// A single-instance grain without versions of its interface, of which "eu" lacks a method (see <see cref="LacksMethod"/>).
/// </summary>
public interface INovelty : IGrainWithStringKey
{
    const string New = "new";

    Task<string> Where();

    [Alias(New)]
    Task<string> WhereToo();
}
