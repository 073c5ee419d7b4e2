using Geo.Consistency.Tests.Kit;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Views;

public sealed class VersionedViewsTests
{
    private static readonly ViewServices Services = new(
        new CountingSerializer(), _ => new InMemoryConditionalStore(), new VirtualTime(), new Random(1), NullLoggerFactory.Instance);

    [Theory]
    [InlineData(ViewProtocol.Local, typeof(LocalView<Notes, string>))]
    [InlineData(ViewProtocol.BatchedCas, typeof(BatchedCasView<Notes, string>))]
    [InlineData(ViewProtocol.VersionedLeader, typeof(VersionedLeaderView<Notes, string>))]
    public void The_declaration_picks_the_protocol(ViewProtocol protocol, Type expected) =>
        Assert.IsType(expected, Create(protocol));

    [Fact]
    public void A_grain_of_the_basic_api_has_no_view() =>
        Assert.Contains(
            "notes/1", Assert.Throws<GeoConfigurationException>(() => Create(ViewProtocol.None)).Message, StringComparison.Ordinal);

    private static IVersionedView<Notes, string> Create(ViewProtocol protocol) => VersionedViews.Create(
        new GrainDeclaration(Instancing.OnePerCluster, SingleInstanceMode.Optimistic, protocol, null, default),
        new("notes", "1"),
        new NotesModel(),
        new UnreplicatedLink(new("a")),
        Services);
}
