using System.Text.Json;
using Geo.Consistency.Lattices;
using Deep = Geo.Consistency.Lattices.MapLattice<int, Geo.Consistency.Lattices.MapLattice<int, Geo.Consistency.Lattices.BoolOr>>;

namespace Geo.Consistency.Tests.Lattices;

public sealed class LatticeFormTests
{
    private static readonly ReplicaId A = new(1);

    [Fact]
    public void A_form_is_not_read_as_another_type()
    {
        var e = Assert.Throws<GeoSerializationException>(
            () => LatticeForm.FromBytes<MinLattice<long>>(LatticeForm.ToBytes(MaxLattice<long>.Of(3))));
        Assert.Contains("min(int64)", e.Message, StringComparison.Ordinal);
        Assert.Throws<GeoSerializationException>(() => LatticeForm.FromJson<GrowSet<int>>(LatticeForm.ToJson(GrowSet<long>.Of(1))));
    }

    [Fact]
    public void A_form_of_a_later_version_says_so()
    {
        var bytes = LatticeForm.ToBytes(new BoolOr(true));
        bytes[0]++;
        var e = Assert.Throws<GeoSerializationException>(() => LatticeForm.FromBytes<BoolOr>(bytes));
        Assert.Contains("version 2", e.Message, StringComparison.Ordinal);
        Assert.Throws<GeoSerializationException>(() => LatticeForm.FromJson<BoolOr>("""{"lattice":2,"type":"or","state":true}"""));
    }

    [Fact]
    public void A_form_over_its_limit_is_refused_unread()
    {
        var limits = new LatticeLimits { MaxBytes = 40 };
        var value = GrowSet<string>.Of(new string('x', 100));
        Assert.Throws<GeoSerializationException>(() => LatticeForm.FromBytes<GrowSet<string>>(LatticeForm.ToBytes(value), limits));
        Assert.Throws<GeoSerializationException>(() => LatticeForm.FromJson<GrowSet<string>>(LatticeForm.ToJson(value), limits));
    }

    [Fact]
    public void Lattices_that_lie_too_deep_are_refused()
    {
        var value = Deep.Of(1, MapLattice<int, BoolOr>.Of(2, new(true)));
        Assert.Equal(value, LatticeForm.FromBytes<Deep>(LatticeForm.ToBytes(value), new() { MaxDepth = 3 }));
        Assert.Throws<GeoSerializationException>(
            () => LatticeForm.FromBytes<Deep>(LatticeForm.ToBytes(value), new() { MaxDepth = 2 }));
    }

    [Fact]
    public void A_count_beyond_what_is_there_is_refused_before_anything_is_allocated_for_it()
    {
        var allocatedBefore = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<GeoSerializationException>(() =>
        {
            var body = new PayloadWriter();
            body.WriteUnsigned(1_000_000_000);
            var reader = new LatticeReader(new PayloadReader(body.Written.Span), [], 4);
            return reader.Read<GrowSet<long>>();
        });
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - allocatedBefore, 0, 1_000_000);
    }

    [Fact]
    public void A_text_that_is_not_well_formed_is_refused_by_both_forms()
    {
        var half = GrowSet<string>.Of("\ud800");
        Assert.Throws<GeoSerializationException>(() => LatticeForm.ToBytes(half));
        Assert.Throws<GeoSerializationException>(() => LatticeForm.ToJson(half));
    }

    [Fact]
    public void A_type_without_a_codec_is_named_with_what_to_do()
    {
        var e = Assert.ThrowsAny<Exception>(() => GrowSet<DateOnly>.Of(DateOnly.MinValue));
        var reason = e as GeoConfigurationException ?? e.InnerException as GeoConfigurationException;
        Assert.Contains("ValueCodecs.Register", reason!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_registered_codec_serves_in_every_lattice()
    {
        ValueCodecs.Register(new TimeOfDayCodec());
        var value = GrowSet<TimeOnly>.Of(new TimeOnly(9, 0), new TimeOnly(8, 30));
        Assert.Equal(value, LatticeForm.FromBytes<GrowSet<TimeOnly>>(LatticeForm.ToBytes(value)));
        Assert.Equal(value, LatticeForm.FromJson<GrowSet<TimeOnly>>(LatticeForm.ToJson(value)));
        Assert.Throws<GeoConfigurationException>(() => ValueCodecs.Register(new TimeOfDayCodec()));
    }

    [Fact]
    public void Content_that_its_context_has_not_seen_is_refused()
    {
        var json = LatticeForm.ToJson(Dotted<DotFlag>.Bottom.Content.Set(new(A, 1)));
        var unseen = json.Replace("[[\"0000000000000001\",1]],\"beyond", "[],\"beyond", StringComparison.Ordinal);
        Assert.NotEqual(json, unseen);
        Assert.Throws<GeoSerializationException>(() => LatticeForm.FromJson<Dotted<DotFlag>>(unseen));
    }

    [Fact]
    public void Forms_written_by_version_1_are_read_and_written_the_same()
    {
        var value = Dotted<OrSet<string>>.Bottom.Content.Add(new(A, 5), "pear");
        Assert.Equal(
            """{"lattice":1,"type":"dotted(or-set(text))","state":{"context":{"through":[],"beyond":["0000000000000001:5"]},"content":X}}"""
                .Replace("X", """[["pear",[["0000000000000001:5",null]]]]""", StringComparison.Ordinal),
            LatticeForm.ToJson(value));
        Assert.Equal(
            "01899B84F3EB4940A201010000000000000000010005010570656172010005",
            Convert.ToHexString(LatticeForm.ToBytes(value)));
    }

    private sealed class TimeOfDayCodec : ValueCodec<TimeOnly>
    {
        public override string Name => "time-of-day";

        public override int Compare(TimeOnly x, TimeOnly y) => x.CompareTo(y);

        public override void Write(TimeOnly value, LatticeWriter to) => to.Body.WriteUnsigned((ulong)value.Ticks);

        public override TimeOnly Read(ref LatticeReader from) => new(from.ReadNumber());

        public override void WriteJson(TimeOnly value, Utf8JsonWriter to) => to.WriteNumberValue(value.Ticks);

        public override TimeOnly ReadJson(JsonElement from) => new(from.GetInt64());
    }
}
