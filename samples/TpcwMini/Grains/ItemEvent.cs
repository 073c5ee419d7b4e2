// One closed family of events: they are read together with ItemState.Apply, which gives them their meaning.
using System.Text.Json.Serialization;

namespace TpcwMini.Grains;

/// <summary>
/// What can happen to an item. An event asks; <see cref="ItemState.Apply"/> decides, in the order the versions give them.
/// </summary>
[GenerateSerializer]
[JsonDerivedType(typeof(Stocked), "stocked")]
[JsonDerivedType(typeof(Reserved), "reserved")]
[JsonDerivedType(typeof(Confirmed), "confirmed")]
[JsonDerivedType(typeof(Undone), "undone")]
public abstract record ItemEvent;

/// <summary>Put on sale.</summary>
[GenerateSerializer]
public sealed record Stocked([property: Id(0)] int Quantity, [property: Id(1)] decimal Price) : ItemEvent;

/// <summary>A cart asks for a reservation.</summary>
[GenerateSerializer]
public sealed record Reserved([property: Id(0)] string Cart, [property: Id(1)] string Order, [property: Id(2)] int Quantity) : ItemEvent;

/// <summary>A cart asks to be sold what it reserved.</summary>
[GenerateSerializer]
public sealed record Confirmed([property: Id(0)] string Cart, [property: Id(1)] string Order) : ItemEvent;

/// <summary>A cart gives up an order.</summary>
[GenerateSerializer]
public sealed record Undone([property: Id(0)] string Cart, [property: Id(1)] string Order) : ItemEvent;
