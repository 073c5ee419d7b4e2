// One region of the shop: dotnet run --project samples/WebShop -- --environment us, and in another terminal --environment eu.
using WebShop;

await Region.Create(args).RunAsync();
