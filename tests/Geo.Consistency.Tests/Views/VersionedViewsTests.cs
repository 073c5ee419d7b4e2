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
        Assert.IsType(expected, Create(protocol, Replicated()));

    [Fact]
    public void A_volatile_grain_with_several_instances_needs_a_link_that_keeps_its_memory() =>
        Assert.Contains(
            "ReplicaExchange.LinkFor", Assert.Throws<GeoConfigurationException>(() => Create(ViewProtocol.VersionedLeader)).Message,
            StringComparison.Ordinal);

    [Fact]
    public void A_grain_of_the_basic_api_has_no_view() =>
        Assert.Contains(
            "notes/1", Assert.Throws<GeoConfigurationException>(() => Create(ViewProtocol.None)).Message, StringComparison.Ordinal);

    [Fact]
    public void An_attribute_that_names_a_protocol_and_makes_no_view_is_told_so() =>
        Assert.Contains(
            "does not implement IViewProtocol", Assert.Throws<GeoConfigurationException>(() => Create(ViewProtocol.Own)).Message,
            StringComparison.Ordinal);

    private static IReplicaLink Replicated()
    {
        var scheduler = new SimulationScheduler();
        var network = new SimulatedNetwork(scheduler, new ChoiceTape("network", new Random(1)));
        var exchange = new ReplicaExchange(
            network.Join(new("a"), scheduler.CreateLane("a")), () => [new("a")], (_, _) => new(false), scheduler.Time, new Random(1));
        return exchange.LinkFor(replicated: true);
    }

    private static IVersionedView<Notes, string> Create(ViewProtocol protocol, IReplicaLink? link = null) =>
        VersionedViews.Create(new ViewContext<Notes, string>(
            new GrainDeclaration(Instancing.OnePerCluster, SingleInstanceMode.Optimistic, protocol, null, default)
            {
                OwnProtocol = protocol == ViewProtocol.Own ? new NamedOnlyAttribute() : null,
            },
            new("notes", "1"),
            new NotesModel(),
            link ?? new UnreplicatedLink(new("a")),
            Services));

    private sealed class NamedOnlyAttribute : ViewProtocolAttribute;
}
